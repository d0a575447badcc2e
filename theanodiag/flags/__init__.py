"""What the libraries read before they start: their flags, the rc files and the variables; what is wrong with them; how to rewrite them."""

