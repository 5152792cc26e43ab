"""Reports: console, JSON, JUnit and notebook."""
