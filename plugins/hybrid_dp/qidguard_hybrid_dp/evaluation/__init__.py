"""What the scheme keeps and what it gives away, measured as its paper does and as the rulings ask."""
