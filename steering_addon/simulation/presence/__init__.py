"""The vehicles that take part at a moment: entering, arriving, leaving."""
