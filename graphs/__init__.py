"""Graphs: their definitions, their data, the engines that hold them, their entity indexes."""
