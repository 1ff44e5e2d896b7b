"""What a person sees of memory and past decisions, and how they have their say about them."""
