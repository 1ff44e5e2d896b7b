"""The command line: skins over the rest."""
