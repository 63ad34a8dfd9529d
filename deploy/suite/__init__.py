"""Runs the whole suite on one machine: PostgreSQL, NATS, sinks, services and gateway.

`deploy/up` and the system tests share it: the former keeps its files in `.local`, the latter in a
temporary folder of their own. Everything is started by one supervisor (supervisor.py) from a plan
(plan.py); the suite itself (suite.py) only prepares files and databases and writes that plan.
Standard library only, so that `deploy/up` needs nothing but Debian's python3.
"""
