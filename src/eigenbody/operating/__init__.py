"""How the operating point that a model asks for is found."""
