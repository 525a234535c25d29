"""Making crowds: members, presets, ready scenes."""
