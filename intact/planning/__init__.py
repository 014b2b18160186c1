"""Plan what is to stand for each mention: planners make plans, and checks keep the plans sound."""
