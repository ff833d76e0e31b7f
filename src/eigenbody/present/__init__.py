"""Tables, plots, documents and files made of results."""
