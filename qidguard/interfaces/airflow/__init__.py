"""The gate on an Airflow schedule. Nothing outside this folder and ``dags/`` imports that library."""
