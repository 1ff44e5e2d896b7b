"""Model: the nouns whose meaning is a type, with one policy table each; it imports nothing else of the package."""
