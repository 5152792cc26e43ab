"""``qidguard mo_obam``: the paper's evaluation on the command line."""
