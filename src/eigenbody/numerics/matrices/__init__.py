"""Sparse assembly, linear systems, rank, rounding of products: matrices without a meaning."""
