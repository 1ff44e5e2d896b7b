"""What a person sees of past decisions, and how they have their say about them."""
