"""The inert, named, immutable description of a mechanism: files, parameters, units, expressions, validation."""
