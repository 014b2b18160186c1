"""Plan what is to stand for each mention: planners make plans, checks keep them sound."""
