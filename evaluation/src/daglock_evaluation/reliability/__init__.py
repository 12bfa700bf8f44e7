"""What daglock does under faults and bad input, promise by promise."""
