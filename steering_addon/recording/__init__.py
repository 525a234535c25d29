"""What a run leaves behind: the frames computed so far, and what went wrong. numpy only, no bpy."""
