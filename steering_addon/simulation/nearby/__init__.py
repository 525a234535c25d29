"""Who is near whom, who belongs together, and who has run into whom."""
