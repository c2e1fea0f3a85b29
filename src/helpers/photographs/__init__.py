"""Photographs of landmarks and other scenes that this machine has without a download from a model hub."""
