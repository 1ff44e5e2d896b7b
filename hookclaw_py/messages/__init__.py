"""Messages between agents: what may be sent, whose words it is, and when an agent is woken for it."""
