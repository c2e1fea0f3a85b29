"""What the explorer shows: the studies on the disk, a benchmark's clips, and all that is known of one."""
