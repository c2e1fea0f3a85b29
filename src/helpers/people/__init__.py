"""Human studies: who is asked what, the survey read back, and the papers' rules for what counts."""
