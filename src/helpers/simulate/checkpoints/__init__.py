"""Checkpoints of the published models' architectures with random weights, built here without any download.

They load and run as the published ones do, and what they write or draw means nothing. Whatever shows it says
"random weights".
"""
