"""What-ifs: each plan changes the inputs of the simulation, runs it again, and has the figures before and after."""
