"""Free motion: independent rows and coordinates, the initial state, closing loops, projection."""
