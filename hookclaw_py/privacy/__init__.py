"""What is nobody else's business, and what nobody may see: secrets, files, characters that hide."""
