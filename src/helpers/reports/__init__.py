"""Reports for readers: leaderboards, report cards, galleries of failures, and what changed between runs."""
