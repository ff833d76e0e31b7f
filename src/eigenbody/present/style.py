"""Colours that all pictures share."""

INK, FAINT, LINE = "#222222", "#777777", "#1f5fbf"
