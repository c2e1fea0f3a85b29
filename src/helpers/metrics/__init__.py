"""Computed metrics of clips: what each declares, and the run that measures a study's clips with them."""
