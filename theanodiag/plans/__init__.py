"""What-if: each plan is a pure change to the inputs of the simulation, run again, with the figures before and after."""
