"""How to keep clear of obstacles and of each other."""
