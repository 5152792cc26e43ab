"""QIDLearningLib for qidguard: metrics, searches, metric selection and plots that find quasi-identifiers.

After Simões, Vilela, Santos & Abreu 2025, "QIDLearningLib: A Python Library for Quasi-Identifier Recognition
and Evaluation". All code is written from the paper.
"""
