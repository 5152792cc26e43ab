"""The gate on an Airflow schedule: a provider on the public names of qidguard alone."""
