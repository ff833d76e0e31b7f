"""What turns: frames that turn with a part of the mechanism, equal blades, coordinates with constant equations."""
