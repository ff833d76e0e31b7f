"""Equations of motion for the reader and for other programs: LaTeX, Python, C and Modelica text."""
