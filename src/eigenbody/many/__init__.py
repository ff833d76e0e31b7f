"""Many independent points: who computes them, in which order results come, and what happens when a worker is lost."""
