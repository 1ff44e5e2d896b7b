"""Documents into chunks: notes, transcripts, the indexes of others; what a host says of a conversation."""
