"""The scenes of the Add menu: one file per model and per scene, and the modules they share."""
