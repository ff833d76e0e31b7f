"""Forces and moments in joints and elements, outputs, and their linear rows."""
