"""Ready scenes for the Add menu: a file for each model and for each scene, and what they are made with."""
