"""What a crowd is made of: presets, members and their variation. numpy only, no bpy."""
