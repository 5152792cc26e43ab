"""What would make a blocked table pass: whom each column exposes, and the cheapest changes that pass."""
