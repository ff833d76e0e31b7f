"""Pages that are served on this machine: the studio, where a slider moves the poles."""
