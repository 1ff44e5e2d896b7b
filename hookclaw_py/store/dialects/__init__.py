"""What differs from database to database: connections, locks, files, copies, and how the schema is made."""
