"""Realistic data in any amount: people by auth, well-formed journal data by COPY."""
