"""Operating points: the state at which a mechanism is linearized."""
