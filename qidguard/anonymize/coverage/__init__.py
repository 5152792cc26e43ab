"""Coverage: which original values a published value stands for, read from the published text alone."""
