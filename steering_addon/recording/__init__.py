"""Records of a run: the frames computed so far, and its mishaps. numpy only, no bpy."""
