"""A policy as files of Great Expectations, without that library: plain values, in the light install too."""
