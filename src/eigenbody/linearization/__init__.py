"""Linearization: the operating point, coordinates, reduction, LinearModel, certificate."""
