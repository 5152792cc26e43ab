"""Hybrid differential privacy and k-anonymity for qidguard: most values stay; guarantees say what they cover.

After Majeed & Hwang 2023, "Differential privacy and k-anonymity-based privacy preserving data publishing
scheme with minimal loss of statistical information". All code is written from the paper.
"""
