"""What is claimed of a graph, and the arithmetic that checks it."""

from daglock.certificate.certificate import Certificate, gradient_residual

__all__ = ["Certificate", "gradient_residual"]
