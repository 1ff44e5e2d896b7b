"""PostgreSQL: one database for the agents of many machines, each agent's rows its own by row security."""
