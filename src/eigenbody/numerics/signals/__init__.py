"""Linear systems in time and frequency: transfer functions, residues, covariances, recursions."""
