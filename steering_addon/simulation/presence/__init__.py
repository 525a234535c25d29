"""Who takes part: entering, arriving, leaving."""
