"""Rotations and vectors: pure array functions, any leading axes, real or complex."""
