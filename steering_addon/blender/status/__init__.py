"""The state of a scene as the interface shows it: the members of crowds, and why nothing moves."""
