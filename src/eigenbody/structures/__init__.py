"""Elastic structures: finite elements, their reduction to modes, and what a floating frame needs to know of them."""
