"""What the gate adds to the server and the menu of Airflow."""
