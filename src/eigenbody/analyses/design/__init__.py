"""Designs that differ in parameters: what is asked of them, and their values."""
