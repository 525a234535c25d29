"""How a body looks while it moves: what wings, wheels and legs are driven by. numpy only, no bpy."""
