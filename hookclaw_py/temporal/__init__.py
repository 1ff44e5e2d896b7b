"""Reading dates out of words: calendar arithmetic, the words, the lexer, and what each phrase means."""
