"""Runs a notebook in a kernel of this interpreter and prints its outputs as JSON: [cell, kind, content]."""

import json
import sys

import nbformat
from nbclient import NotebookClient

cells = [nbformat.v4.new_code_cell(text) for text in json.load(sys.stdin)]
client = NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=240, kernel_name="python3")
done = client.execute()
found = []
for k, cell in enumerate(done.cells):
    for output in cell.outputs:
        data = output.get("data") or {output["output_type"]: output.get("text", "")}
        found += [[k, kind, content] for kind, content in data.items()]
print(json.dumps(found))
