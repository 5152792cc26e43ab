"""Whether a table may be published: by its policy, its privacy budget, earlier releases and exceptions."""
