"""Analyses of linear models: one function and one frozen result each."""
