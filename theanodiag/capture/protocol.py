"""Reads the stream of events that the hook writes while the script runs, into a Script.

The stream is a file of JSON lines, appended to and flushed event by event, so that whatever ends the script leaves a valid prefix.
`"schema": "theanodiag/capture/v1"`; keys may be added, not changed; every line has "event":

    header     {"schema", "python": "3.8.18", "executable", "pid", "argv": [..]}
    framework  {"name": "theano" | "theano-pymc" | "aesara" | "pytensor", "version", "path", "alias_of": null | "theano" (legacy name in use),
                "flags": {"floatX": "float32", "device": "cpu", ...}, "default_linker": "cvm",
                "device": {"name", "total_bytes", "free_bytes"} (where its context is open)}
    shared     {"id", "name", "type": type, "shape": [..], "site"}                      a shared variable got its first value
    set_value  {"id", "shape", "borrow", "buffer": "0x7f..", "site"}
    get_value  {"id", "borrow", "internal", "site"}
    delete     {"shared": id} | {"function": index}                                      the last reference went away
    function   {"index", "name", "linker", "allow_gc": bool | null, "mode", "site", "graph": graph, "seconds": rewriting time}
    shapes     {"function", "signature": k, "table": shape table}                        once per set of input shapes (and small values)
    call       {"function", "signature": k, "site",
                "inputs": [{"variable", "name", "dtype", "shape", "value" (small integers), "buffer", "on_device"}]}
    skipped    {"what", "reason"}
    end        {"status": "finished" | "exited" | "raised" | "stopped", "exit_code": int | null,
                "exception": "ValueError: ...", "traceback": "..." (without frames of ours), "reason": why it was stopped}

graph, type, site and shape table are those of `readers/fgraph.py`.
"""
