"""The commands of the command line, one file each. They import what is heavy when they run."""
