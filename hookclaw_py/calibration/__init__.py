"""Evidence as data: the table of features, and for each embedding model a file that says what each of them counts."""
