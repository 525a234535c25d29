"""What the interface says about a scene: who takes part, and why nothing moves."""
