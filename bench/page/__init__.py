"""The parts of bench/report.py."""
