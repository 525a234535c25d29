"""The ways in which a body turns steering into motion (Reynolds 1999, Locomotion). numpy only, no bpy."""
