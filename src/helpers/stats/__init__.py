"""Small statistics core: arrays in, named results out."""
