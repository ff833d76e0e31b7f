"""The report: one self-contained page with the mechanism in 3-D, its modes moving, tables and charts."""
