"""Clips of rigs: armatures, poses, measuring, feet, copies of actions and strips. Knows no plan."""
