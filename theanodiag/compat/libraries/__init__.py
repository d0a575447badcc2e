"""What single libraries need that are run over the layer."""
