"""Numerical tools that know no mechanics."""
