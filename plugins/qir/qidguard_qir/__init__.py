"""QIR for qidguard: columns classified by their re-identification risk, and how many of them to anonymize.

After Mansour, Siraj, Ghaleb, Saeed, Alkhammash & Maarof 2021, "Quasi-Identifier Recognition Algorithm for
Privacy Preservation of Cloud Data Based on Risk Reidentification". All code is written from the paper.
"""
