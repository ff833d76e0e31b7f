"""Measures: geometry that the engineer could draw, with value, rate, acceleration and all partial derivatives."""
