"""What people see of the benchmark, from records alone: tables, figures, findings, documents."""
