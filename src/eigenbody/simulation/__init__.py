"""Motion in time: integration of the equations of motion on the constraint manifold."""
