"""The demo: a made-up hospital file, its policy, and how coarsening turns a block into a pass."""
