"""What-ifs: each plan changes the inputs of the simulation, runs it again, and compares the figures."""
