"""Publishing what was decided, and the places to which it goes."""
