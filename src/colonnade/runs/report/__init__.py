"""Reports: one page that needs nothing else, and figures with the data they show."""
