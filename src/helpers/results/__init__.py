"""The papers' results on a study's own tables: what notebooks 71 to 73 compute, draw and set beside print."""
