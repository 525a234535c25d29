"""The settings of a crowd: presets, members and their variation. numpy only, no bpy."""
