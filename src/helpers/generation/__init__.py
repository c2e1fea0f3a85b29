"""Text-to-video: what each model is asked for, how a run survives crashes, what is recorded of a clip."""
