"""What `deploy/bench` runs: the suite's release build beside nginx and pgbench."""
