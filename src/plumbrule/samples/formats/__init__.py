"""The file formats of a dataset."""
