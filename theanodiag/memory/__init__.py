"""Order of evaluation, lifetimes, allocators: what a script's functions need, byte by byte. Pure: no process, file or device."""
