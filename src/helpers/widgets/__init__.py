"""Pages for JupyterLab on which people decide something, built from ipywidgets."""
