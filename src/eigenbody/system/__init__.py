"""From the description to arrays: names become indices here and nowhere else."""
