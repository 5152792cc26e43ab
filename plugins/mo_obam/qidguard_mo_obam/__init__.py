"""MO-OBAM for qidguard: records in clusters that lose little information and keep sensitive values mixed.

After Wei, Benson, Agor & Capan 2025, "Multi-objective optimization-based anonymization of structured data for
machine learning". All code is written from the paper.
"""
