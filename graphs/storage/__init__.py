"""The data folder and its catalog."""
