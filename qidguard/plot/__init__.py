"""Plots: charts of figures that need no network, no browser and no raw value to be drawn."""
