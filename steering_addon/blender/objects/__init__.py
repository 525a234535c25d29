"""Objects of a scene: hierarchy, bounds, roles, crowds, identities. Knows no plan and no action."""
