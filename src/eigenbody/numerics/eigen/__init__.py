"""Eigenvalues and vectors with bounds: which are zero, which grow, how they change."""
