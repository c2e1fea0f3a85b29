"""What the papers' printed numbers allow one to conclude, and where they contradict each other."""
