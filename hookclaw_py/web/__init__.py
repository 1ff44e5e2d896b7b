"""The door for browsers and programs on this machine: HTTP routes, live events, and the page that shows them."""
