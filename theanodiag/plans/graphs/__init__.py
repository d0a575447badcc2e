"""What-ifs for graphs: the same script with another graph, other shapes in it, or another order of evaluation."""
