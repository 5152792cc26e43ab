"""The commands of the hybrid scheme."""
