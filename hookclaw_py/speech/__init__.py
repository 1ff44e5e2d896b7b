"""How people say things: where a sentence ends, what only supposes, what sets right, and which of two says something newer of the same."""
