"""What pages show, worked out from typed results: tables of samples, charts, marked texts."""
