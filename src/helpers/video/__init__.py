"""Videos: what a file holds, frames from it, sheets and small copies of it, its sound, and new clips."""
