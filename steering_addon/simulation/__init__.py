"""How things move. numpy only, no bpy."""
