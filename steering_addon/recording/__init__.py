"""Records of a run: the frames computed so far, and the mishaps. numpy only, no bpy."""
