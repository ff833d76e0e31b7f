"""Elements: measures, joints, couplings, forces. A new one is one small file and one registry line."""
