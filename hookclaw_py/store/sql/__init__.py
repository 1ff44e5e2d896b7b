"""The store in SQL: the same text for every dialect."""
