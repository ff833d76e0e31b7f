"""Kinematics, residual, exact tangents and energy."""
