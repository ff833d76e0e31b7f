"""Other routes to the same linear equations, each as its authors meant it, independent of the main engine."""
