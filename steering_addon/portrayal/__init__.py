"""How a body looks while it moves: values for drivers of wings, wheels and legs. numpy only, no bpy."""
