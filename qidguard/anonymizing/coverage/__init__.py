"""Coverage: which original values each published value stands for, read from the published text alone."""
