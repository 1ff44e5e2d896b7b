"""The model lane: where one is configured, a model says later, in the background, what rules made of what happened.

Off by default. Rules have written their records by then; what a model says enters as drafts like theirs, and what it does not say,
says in rubbish or too late costs nothing.
"""
