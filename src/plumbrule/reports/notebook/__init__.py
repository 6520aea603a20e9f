"""Results as people look at them in a notebook: HTML, tables of columns, charts."""
