"""Measurements: what daglock reaches, side by side with what a user could pick instead."""
