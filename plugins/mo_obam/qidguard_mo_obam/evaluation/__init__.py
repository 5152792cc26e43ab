"""What a published table costs and whom it protects, counted without the optimizer."""
