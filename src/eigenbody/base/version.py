"""The version, which results that are kept name."""

__version__ = "0.1.0.dev0"
