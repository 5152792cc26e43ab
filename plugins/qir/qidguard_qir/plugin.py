"""What the plugin provides."""
