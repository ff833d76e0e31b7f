"""The version, which results that are kept name."""

__version__ = "0.2.0.dev0"
