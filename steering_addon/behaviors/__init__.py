"""What agents want: one file a behavior. numpy only, no bpy."""
