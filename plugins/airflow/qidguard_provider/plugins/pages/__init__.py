"""The pages of the privacy gate in Airflow's own user interface."""
