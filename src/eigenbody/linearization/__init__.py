"""Linearization: coordinates, reduction, LinearModel, certificate."""
