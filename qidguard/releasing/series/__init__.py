"""What a series knows of its persons: trajectories, and the state that keeps last values."""
