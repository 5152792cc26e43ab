"""The connection of the gate."""
