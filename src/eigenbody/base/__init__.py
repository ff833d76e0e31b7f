"""What everything rests on: errors, progress, arrays, numbers that are many at once, and what a result is."""
