"""Motion, forces and blows by Kane's equations (routes/kane) in place of the engine's: `method="kane"`.

The route finds accelerations, forces and jumps by itself and integrates its own equations; states are handed back as
the engine's, so that every signal, table and picture is there. What else is read from them (reactions, energies) is the
engine's.
"""
