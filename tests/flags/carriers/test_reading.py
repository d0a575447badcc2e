"""Where flags are found in files of all kinds: each value at its line, with `?` for what is only known when the program runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from theanodiag.flags.carriers.file_kinds import FileKind, kind_of
from theanodiag.flags.carriers.model import UNKNOWN
from theanodiag.flags.carriers.reading import read

SETTINGS = Path(__file__).parent / "settings.txt"


def found(text: str, name: str) -> list[tuple[int, str]]:
    """Line and value of what a file sets."""
    reading = read(text, kind_of(name, text.encode()))
    return [(text.count("\n", 0, c.value.starts[0]) + 1, c.value.text.replace(UNKNOWN, "?")) for c in reading.carried]


SHELL = [
    ("export THEANO_FLAGS=device=gpu,floatX=float32", ["device=gpu,floatX=float32"]),
    ("{ echo '[global]'\necho 'device=gpu'\n}>> ~/.theanorc", ["[global]\ndevice=gpu\n"]),
    ("echo 'THEANO_FLAGS=device=gpu python a.py' | qsub -l gpu", ["device=gpu"]),
    ("echo 'set THEANO_FLAGS=device=gpu first' >&2", []),
    ("THEANO_FLAGS='device=gpu' python a.py # THEANO_FLAGS=x=y", ["device=gpu"]),
    ('export THEANO_FLAGS="${THEANO_FLAGS:+$THEANO_FLAGS,}device=gpu0"', ["?,device=gpu0"]),
    ("export THEANO_FLAGS=device=$DEV,floatX=float32", ["device=?,floatX=float32"]),
    ("if x; then THEANO_FLAGS+=,device=cpu; fi", [",device=cpu"]),
    ('F="device=gpu,floatX=float32"\nexport THEANO_FLAGS=$F', ["device=gpu,floatX=float32"]),
    ("F=device=cpu\nF+=,floatX=float32\nTHEANO_FLAGS=$F", ["device=cpu,floatX=float32"]),
    ("F+=,floatX=float32\nTHEANO_FLAGS=$F", ["?,floatX=float32"]),
    ("F=device=cpu\nif x; then F+=,floatX=float32; fi\nTHEANO_FLAGS=$F", ["?,floatX=float32"]),
    ('echo "THEANO_FLAGS=device=gpu"', []),
    ("docker run -e THEANO_FLAGS=device=gpu0 image", ["device=gpu0"]),
    ("sbatch --export=ALL,THEANO_FLAGS=device=gpu2 job.sh", ["device=gpu2"]),
    ("sbatch --export=ALL,THEANO_FLAGS=device=gpu2,A=1 job.sh", ["device=gpu2"]),
    ("sbatch --export='ALL,THEANO_FLAGS=device=gpu2,A=1' job.sh", ["device=gpu2"]),
    ("qsub -v THEANO_FLAGS=device=gpu2,A=1 job.sh", ["device=gpu2"]),
    ("#PBS -v A,THEANO_FLAGS=device=gpu2,B=3\nx", ["device=gpu2"]),
    ("#SBATCH --export=A,THEANO_FLAGS=device=gpu2,floatX=float32\nx", ["device=gpu2"]),
    ("docker run -e THEANO_FLAGS=device=gpu0,floatX=float32 image", ["device=gpu0,floatX=float32"]),
    ("bash -c 'THEANO_FLAGS=\"device=gpu5\" python y.py'", ["device=gpu5"]),
    ('ssh host "cd x; THEANO_FLAGS=device=gpu6 python y.py"', ["device=gpu6"]),
    ('CMD="THEANO_FLAGS=device=gpu$i python z.py"', ["device=gpu?"]),
    ("python -c \"import os; os.environ['THEANO_FLAGS']='device=gpu7'\"", ["device=gpu7"]),
    ("python - <<E\nimport os\nos.environ['THEANO_FLAGS'] = 'device=gpu8'\nE", ["device=gpu8"]),
    ("cat >> ~/.theanorc <<EOF\n[global]\nfloatX=float32\nEOF", ["[global]\nfloatX=float32\n"]),
    ("cat <<-EOF >~/.theanorc\n\t[global]\n\tbase=$HOME\n\tEOF", ["[global]\nbase=?\n"]),
    ('echo -e "[global]\\nfloatX = float32" > ~/.theanorc', ["[global]\nfloatX = float32\n"]),
    ("echo '[global]' > ~/.theanorc\necho 'device = gpu' >> ~/.theanorc", ["[global]\ndevice = gpu\n"]),
    ("(\necho '[global]'\necho device=gpu\n) > .theanorc", ["[global]\ndevice=gpu\n"]),
    ("printf '[global]\\nfloatX = %s\\n' float32 | sudo tee /root/.theanorc", ["[global]\nfloatX = float32\n"]),
    ("echo 'export THEANO_FLAGS=\"device=gpu\"' >> ~/.bashrc", ["device=gpu"]),
    (': "${THEANO_FLAGS:=device=gpu,floatX=float32}"', ["device=gpu,floatX=float32"]),
    ("# ${THEANO_FLAGS:=device=gpu}\necho '${THEANO_FLAGS:=device=gpu}'", []),
    ("APPTAINERENV_THEANO_FLAGS=device=gpu apptainer run a.sif\nexport SINGULARITYENV_THEANO_FLAGS=cxx=", ["device=gpu", "cxx="]),
]
CSH = [
    ('setenv THEANO_FLAGS "floatX=float32,device=gpu"', ["floatX=float32,device=gpu"]),
    ("if ( $x ) setenv THEANO_FLAGS device=gpu", ["device=gpu"]),
]
FISH = [
    ('set -gx THEANO_FLAGS "device=gpu0"', ["device=gpu0"]),
    ("set -x PYTENSOR_FLAGS floatX=float32,$more", ["floatX=float32,?"]),
    ("function train --description 'set THEANO_FLAGS=device=gpu first'\nend", []),
]
BATCH = [
    ("set THEANO_FLAGS=device=gpu0,floatX=float32", ["device=gpu0,floatX=float32"]),
    ('set "THEANO_FLAGS=device=gpu1,%X%" & python a.py', ["device=gpu1,?"]),
    ('setx THEANO_FLAGS "device=gpu2"', ["device=gpu2"]),
    ("REM set THEANO_FLAGS=device=gpu", []),
    ("set THEANO_FLAGS=compiledir=%X:\\=/%,mode=FAST_RUN", ["compiledir=?,mode=FAST_RUN"]),
    ("echo run set THEANO_FLAGS=device=gpu first", []),
    ("echo gpu & set THEANO_FLAGS=device=gpu1", ["device=gpu1"]),
    ("echo [global]> %USERPROFILE%\\.theanorc\necho device = gpu>> %USERPROFILE%\\.theanorc", ["[global]\ndevice = gpu"]),
    ("(\necho [global]\necho device = gpu\n) > .theanorc", ["[global]\ndevice = gpu"]),
]
POWERSHELL = [
    ('$env:THEANO_FLAGS = "floatX=float32,device=$d"', ["floatX=float32,device=?"]),
    ('[Environment]::SetEnvironmentVariable("THEANO_FLAGS", "device=gpu1", "User")', ["device=gpu1"]),
    ("# $env:THEANO_FLAGS = 'device=gpu'", []),
    ("@'\n[global]\ndevice = gpu\n'@ | Out-File ~/.theanorc", ["[global]\ndevice = gpu"]),
]
DOCKER = [
    ("ENV THEANO_FLAGS mode=FAST_RUN, device=gpu", ["mode=FAST_RUN, device=gpu"]),
    ("ENV A=1 \\\n  # why\n  THEANO_FLAGS='device=gpu'", ["device=gpu"]),
    ("ARG THEANO_FLAGS=device=gpu", ["device=gpu"]),
    ("# ENV THEANO_FLAGS device=gpu", []),
    ("RUN pip install x && \\\n  echo '[global]\\ndevice=gpu' > ~/.theanorc", ["[global]\ndevice=gpu\n"]),
    ('CMD ["bash", "-c", "THEANO_FLAGS=device=gpu0 python a.py"]', ["device=gpu0"]),
    ("RUN <<EOF\nexport THEANO_FLAGS=device=gpu1\nEOF", ["device=gpu1"]),
    ("COPY <<EOF /root/.theanorc\n[global]\ndevice = gpu2\nEOF", ["[global]\ndevice = gpu2\n"]),
]
MAKE = [
    ("export THEANO_FLAGS := device=gpu,\\\n  floatX=float32 # why", ["device=gpu,floatX=float32"]),
    ("a:\n\t@THEANO_FLAGS=device=$(DEV),floatX=float32 python a.py", ["device=?,floatX=float32"]),
    ("a: THEANO_FLAGS = device=gpu", ["device=gpu"]),
    ("a:\n\techo $$THEANO_FLAGS", []),
]
YAML = [
    ("a:\n  environment:\n    THEANO_FLAGS: device=gpu, floatX=float32  # why", ["device=gpu, floatX=float32"]),
    ('a:\n  - "THEANO_FLAGS=device=gpu"', ["device=gpu"]),
    ("env:\n  - X=1 THEANO_FLAGS='device=gpu' Y=2", ["device=gpu"]),
    ("a:\n  - name: THEANO_FLAGS\n    value: 'device=gpu'", ["device=gpu"]),
    ("a:\n  run: THEANO_FLAGS=device=${{ matrix.device }} pytest", ["device=?"]),
    ("a:\n  run: |\n    export THEANO_FLAGS=device=gpu\n    pytest", ["device=gpu"]),
    ("a:\n  - >\n    THEANO_FLAGS=device=gpu\n    pytest", ["device=gpu"]),
    ("env: {X: 1, THEANO_FLAGS: 'device=gpu'}", ["device=gpu"]),
    ("a:\n  - {name: THEANO_FLAGS, value: 'device=gpu'}", ["device=gpu"]),
    ('a:\n- bash: |\n    echo "##vso[task.setvariable variable=THEANO_FLAGS]device=gpu"', ["device=gpu"]),
    ("a:\n  # THEANO_FLAGS: device=gpu\n  b: 1", []),
]
PYTHON = [
    ('os.environ["THEANO_FLAGS"] = ("device=gpu,"  # why\n  "floatX=float32")', ["device=gpu,floatX=float32"]),
    ("os.environ.setdefault('THEANO_FLAGS', 'device=gpu')", ["device=gpu"]),
    ("os.environ.update({'THEANO_FLAGS': 'device=gpu'})", ["device=gpu"]),
    ("os.environ.update(THEANO_FLAGS='device=gpu')", ["device=gpu"]),
    ("os.environ['THEANO_FLAGS'] = 'mode=FAST_RUN,device=' + device", ["mode=FAST_RUN,device=?"]),
    ("os.environ['THEANO_FLAGS'] = f'device=gpu{n},floatX=float32'", ["device=gpu?,floatX=float32"]),
    ("os.environ['THEANO_FLAGS'] = 'device=%s,x=%d' % (a, b)", ["device=?,x=?"]),
    ("os.environ['THEANO_FLAGS'] = 'device={},floatX=float32'.format(a)", ["device=?,floatX=float32"]),
    ("os.environ['THEANO_FLAGS'] += ',device=gpu'", [",device=gpu"]),
    ("os.environ['THEANO_FLAGS'] = ','.join(['device=gpu', 'x=%d' % 3])", ["device=gpu,x=3"]),
    ("f = 'device=gpu'\nos.environ['THEANO_FLAGS'] = f", ["device=gpu"]),
    (
        "def g(d):\n    f = 'device=' + d\n    f += ',floatX=' + t\n    f += ',mode=x'\n    os.environ['THEANO_FLAGS'] = f",
        ["device=?,floatX=?,mode=x"],
    ),
    ("f = 'device=gpu'\nif x:\n    f += ',floatX=float32'\nos.environ['THEANO_FLAGS'] = f", ["device=gpu,floatX=float32", "device=gpu"]),
    ("f = 'device=gpu'\nrun(f)\nf += ',floatX=float32'\nos.environ['THEANO_FLAGS'] = f", ["?"]),
    ("f += ',floatX=float32'\nos.environ['THEANO_FLAGS'] = f", ["?"]),
    ("os.environ['THEANO_FLAGS'] = 'device=gpu' if x else 'device=cpu'", ["device=gpu", "device=cpu"]),
    ("os.system('THEANO_FLAGS=device=gpu7 python b.py')", ["device=gpu7"]),
    ("x = os.environ.get('THEANO_FLAGS', 'device=gpu')", []),
    ("print('set THEANO_FLAGS=device=gpu')", []),
    ('print "THEANO_FLAGS=device=gpu"', []),
    ("raise ValueError('THEANO_FLAGS=floatX=float32 is needed')", []),
    ("os.environ['THEANO_FLAGS'] = ','.join(old + ['device=gpu', f'x={n}'])", ["?,device=gpu,x=?"]),
    ("os.environ['THEANO_FLAGS'] = ','.join(['a=%d' % d[b + c]]) + ',device=gpu'", ["a=?,device=gpu"]),
    ("os.environ['THEANO_FLAGS'] = 'x=1' + ('' if a is None else ',' + a)", ["x=1", "x=1,?"]),
    ("c = 'THEANO_FLAGS=device={0} python {1}.py'\nrun(c.format('gpu', 1))", ["device=?"]),
    (
        "f = ['mode=x']\nif a:\n    f.append('lib.cnmem=%f' % a)\ncmd.append('THEANO_FLAGS=' + ','.join(f))",
        ["mode=x", "lib.cnmem=?"],
    ),
    ("logger.warning('set THEANO_FLAGS=device=gpu')", []),
    ("sys.stderr.write('set THEANO_FLAGS=device=gpu')", []),
    ("p.stdin.write('THEANO_FLAGS=device=gpu python a.py')", ["device=gpu"]),
    ('"""Usage:\n    THEANO_FLAGS=device=gpu python a.py\n"""', []),
    ("# os.environ['THEANO_FLAGS'] = 'device=gpu'", []),
    ("open(os.path.expanduser('~/.theanorc'), 'w').write('[global]\\ndevice=gpu\\n')", ["[global]\ndevice=gpu\n"]),
    (
        "with open(path + 'theanorc', 'w') as f:\n    f.write('[global]\\n')\n    f.write('device = ' + d)",
        ["[global]\ndevice = ?"],
    ),
    ("p = '.theanorc'\nx = ['[lib]', 'cnmem=1']\nopen(p).write('\\n'.join(x))", ["[lib]\ncnmem=1"]),
    ("p = '.theanorc'\nx = ['[lib]', 'cnmem=1']\nf.write('\\n'.join(x))", ["[lib]\ncnmem=1"]),
    ("p = '.theanorc'\nf.writelines(['[lib]\\n', 'cnmem=1'])", ["[lib]\ncnmem=1"]),
    (
        "p = '.theanorc'\nwith open(p) as f:\n  f.write('[lib]\\n')\nwith open(q) as f:\n  f.write('device = gpu')",
        ["[lib]\n"],
    ),
    (
        "open('.theanorc', 'w').write(textwrap.dedent('''\\\n    [global]\n    device = gpu\n    cxx =\n    '''))",
        ["[global]\ndevice = gpu\ncxx =\n"],
    ),
]
OTHERS = [
    ("launch.json", '{"env": {"THEANO_FLAGS": "device=gpu"}}', ["device=gpu"]),
    ("tox.ini", "[testenv]\nsetenv =\n    THEANO_FLAGS = device=gpu\n# THEANO_FLAGS = device=cuda\n", ["device=gpu"]),
    ("pixi.toml", '[activation.env]\nTHEANO_FLAGS = "device=gpu"\n', ["device=gpu"]),
    ("run.mjs", "spawn(python, { env: { THEANO_FLAGS: `device=gpu${n}` } });", ["device=gpu?"]),
    ("a.R", 'Sys.setenv(THEANO_FLAGS="device=gpu") # THEANO_FLAGS="device=cpu"\n', ["device=gpu"]),
    ("workspace.xml", '<?xml version="1.0"?>\n<env name="THEANO_FLAGS" value="device=gpu" />', ["device=gpu"]),
    ("x.service", '[Service]\nEnvironment="THEANO_FLAGS=device=gpu"\n', ["device=gpu"]),
    ("README.md", "    THEANO_FLAGS=device=gpu python a.py\n", []),
]
ADDED = "x = 'floatX=float32'\n"
USED = "os.environ['THEANO_FLAGS'] = x"
UNCERTAIN = [
    ("a.py", f"{ADDED}{USED}\nx = x + ',device=gpu'", ["?"]),
    ("a.py", f"{ADDED}print(f'{{x}}')\nx = x + ',device=gpu'\n{USED}", ["?"]),
    ("a.py", f"{ADDED}if gpu:\n    x = x + ',device=gpu'\n{USED}", ["floatX=float32", "?,device=gpu"]),
    ("a.py", f"{ADDED}for g in gpus:\n    x = x + ',device=gpu'\n{USED}", ["?"]),
    ("a.py", f"{ADDED}x += ',device={{}}'.format('gpu' if a else 'cpu')\n{USED}", ["floatX=float32,device=?"]),
    ("a.py", f"if a:\n    d = 'gpu'\nelse:\n    d = 'cpu'\n{ADDED}x += f',device={{d}}'\n{USED}", ["floatX=float32,device=?"]),
    ("a.py", f"{ADDED}if gpu: x = x + ',device=gpu'\n{USED}", ["?"]),
    ("a.py", f"if a:\n    {ADDED}else:\n    x = x + ',device=gpu'\n{USED}", ["?"]),
    ("a.py", f"{ADDED}x = x + ',device=gpu'\n{USED}", ["?,device=gpu"]),
    ("a.py", f"def f():\n    {ADDED}    if a:\n        b()\n    x = x + ',device=gpu'\n    {USED}", ["?,device=gpu"]),
    ("a.bat", "set THEANO_FLAGS=device=%DEV%\nset DEV=gpu", ["device=?"]),
    ("a.bat", "set DEV=gpu\nset dev=cpu\nset THEANO_FLAGS=device=%DEV%", ["device=?"]),
    ("a.bat", "set dev=gpu\nset THEANO_FLAGS=device=%DEV%", ["device=gpu"]),
    ("a.bat", "if %1==gpu (\nset DEV=gpu\n)\nset THEANO_FLAGS=device=%DEV%", ["device=?"]),
    ("a.bat", "if %1==gpu (\necho :)\nset DEV=gpu\n)\nset THEANO_FLAGS=device=%DEV%", ["device=?"]),
    ("a.bat", "if exist a (\npython a.py\n) else (\npython b.py\n)\nset DEV=gpu\nset THEANO_FLAGS=device=%DEV%", ["device=gpu"]),
    ("a.bat", "if %1==cpu goto run\nset DEV=gpu\n:run\nset THEANO_FLAGS=device=%DEV%", ["device=?"]),
    ("a.bat", "set DEV=gpu\ncall local.bat\nset THEANO_FLAGS=device=%DEV%", ["device=?"]),
    ("a.ps1", "$env:THEANO_FLAGS = 'device=' + $Dev\n$Dev = 'gpu'", ["device=?"]),
    ("a.ps1", "$Dev = 'gpu'\n$dev = 'cpu'\n$env:THEANO_FLAGS = \"device=$Dev\"", ["device=?"]),
    ("a.ps1", "$dev = 'gpu'\n$env:THEANO_FLAGS = \"device=$Dev\"", ["device=gpu"]),
    ("a.ps1", "if ($gpu) {\n$Dev = 'gpu'\n}\n$env:THEANO_FLAGS = \"device=$Dev\"", ["device=?"]),
    ("a.ps1", "param(\n$Dev = 'gpu'\n)\n$env:THEANO_FLAGS = \"device=$Dev\"", ["device=?"]),
    ("a.ps1", "$a = @'\n$Dev = 'gpu'\n'@\n$env:THEANO_FLAGS = \"device=$Dev\"", ["device=?"]),
    ("a.ps1", "$Dev = 'gpu'\n. ./local.ps1\n$env:THEANO_FLAGS = \"device=$Dev\"", ["device=?"]),
    ("a.sh", "THEANO_FLAGS=device=$DEV python x.py\nDEV=cuda", ["device=?"]),
    ("a.sh", 'if [ "$1" = gpu ]\nthen\nDEV=cuda\nfi\nTHEANO_FLAGS=device=$DEV python x.py', ["device=?"]),
    ("a.sh", "if [ -f a ]; then\nb\nelif c; then\nd\nfi\nDEV=cuda\nTHEANO_FLAGS=device=$DEV python x.py", ["device=cuda"]),
    ("a.sh", "case $1 in\na) b;;\n(c)\nDEV=cuda\n;;\nesac\nTHEANO_FLAGS=device=$DEV python x.py", ["device=?"]),
    ("a.sh", "case $1 in\na) b;;\nesac\nfor c in 1 2; do\nd\ndone\nDEV=cuda\nTHEANO_FLAGS=device=$DEV python x.py", ["device=cuda"]),
    ("a.sh", "while b\ndo\nDEV=cuda\ndone\nTHEANO_FLAGS=device=$DEV python x.py", ["device=?"]),
    ("a.sh", "f() {\nDEV=cuda\n}\nTHEANO_FLAGS=device=$DEV python x.py", ["device=?"]),
    ("a.sh", "function f() {\nb\n}\nDEV=cuda\nTHEANO_FLAGS=device=$DEV python x.py", ["device=cuda"]),
    ("a.sh", '[ -n "$1" ] &&\nDEV=cuda\nTHEANO_FLAGS=device=$DEV python x.py', ["device=?"]),
    ("a.sh", "(\nDEV=cuda\n)\nTHEANO_FLAGS=device=$DEV python x.py", ["device=?"]),
    ("a.sh", "cat > x.env <<EOF\nDEV=cuda\nEOF\nTHEANO_FLAGS=device=$DEV python x.py", ["device=?"]),
    ("a.sh", "DEV=cuda\n[ -f conf.sh ] && . conf.sh\nTHEANO_FLAGS=device=$DEV python x.py", ["device=?"]),
    ("a.sh", "DEV=cuda\nsource .env\nTHEANO_FLAGS=device=$DEV python x.py", ["device=?"]),
    ("a.sh", 'DEV=cuda\neval "$(cat conf)"\nTHEANO_FLAGS=device=$DEV python x.py', ["device=?"]),
    ("a.sh", "DEV=0\n((DEV++))\nTHEANO_FLAGS=device=cuda$DEV python x.py", ["device=cuda?"]),
    ("a.sh", "DEV=cuda\nTHEANO_FLAGS=device=$DEV python x.py --DEV $DEV", ["device=cuda"]),
    ("a.sh", "F='floatX=float32'; F=$1; THEANO_FLAGS=$F python x.py", ["?"]),
    ("a.sh", "F='floatX=float32'\nexport F=$1\nTHEANO_FLAGS=$F python x.py", ["?"]),
    ("a.sh", "F='floatX=float32'\nread F\nTHEANO_FLAGS=$F python x.py", ["?"]),
    ("a.csh", "foreach dev (a b)\nset dev = gpu\nend\nsetenv THEANO_FLAGS device=$dev", ["device=?"]),
    ("a.fish", "if test $x\nset base 'device=gpu'\nend\nset -x THEANO_FLAGS $base", ["?"]),
    ("Makefile", "ifdef GPU\nDEV = cuda\nendif\na:\n\tTHEANO_FLAGS=device=$(DEV) python x.py", ["device=?"]),
    ("Makefile", "DEV = cuda\ninclude local.mk\na:\n\tTHEANO_FLAGS=device=$(DEV) python x.py", ["device=?"]),
    ("Makefile", "a:\n\tTHEANO_FLAGS=device=$(DEV) python x.py\nDEV = cuda", ["device=cuda"]),
    ("Makefile", "a:\n\tTHEANO_FLAGS=device=$(DEV) python x.py\nDEV := cuda", ["device=?"]),
    ("Makefile", "THEANO_FLAGS := device=$(DEV)\nDEV = cuda", ["device=?"]),
    ("Makefile", "F = floatX=float32\nF ?= floatX=float64\na:\n\tTHEANO_FLAGS=$(F) python x.py", ["floatX=float32"]),
    ("Makefile", "F ?= floatX=float64\na:\n\tTHEANO_FLAGS=$(F) python x.py", ["floatX=float64"]),
    ("Makefile", "F = floatX=float32\nF = $(G)\na:\n\tTHEANO_FLAGS=$(F) python x.py", ["?"]),
    ("Dockerfile", "FROM a\nENV DEV=gpu0\nENV DEV=\nENV THEANO_FLAGS=device=$DEV", ["device=?"]),
    ("Dockerfile", "FROM a\nENV DEV=gpu0\nENV DEV gpu1\nENV THEANO_FLAGS=device=$DEV", ["device=?"]),
    ("Dockerfile", f"FROM a\nENV DEV=gpu0\nENV DEV={'x' * 10_001}\nENV THEANO_FLAGS=device=$DEV", ["device=?"]),
    ("Dockerfile", "FROM a\nENV DEV=gpu0\nFROM b\nENV THEANO_FLAGS=device=$DEV", ["device=?"]),
    ("Dockerfile", "FROM a AS base\nENV DEV=gpu0\nFROM base\nENV THEANO_FLAGS=device=$DEV", ["device=gpu0"]),
    ("Dockerfile", "FROM a\nONBUILD ENV DEV=gpu0\nENV THEANO_FLAGS=device=$DEV", ["device=?"]),
    ("Dockerfile", "ARG DEV=gpu0\nFROM a\nARG DEV\nENV THEANO_FLAGS=device=$DEV", ["device=gpu0"]),
    ("Dockerfile", "ARG DEV=gpu0\nFROM a\nENV THEANO_FLAGS=device=$DEV", ["device=?"]),
]
"""Variables that have a value only in some cases, or not yet, and what is next to them."""
CASES = [
    *(("a.sh", f"#!/bin/bash\n{text}\n", values) for text, values in SHELL),
    *(("a.csh", f"{text}\n", values) for text, values in CSH),
    *(("a.fish", f"{text}\n", values) for text, values in FISH),
    *(("a.bat", f"@echo off\n{text}\n", values) for text, values in BATCH),
    *(("a.ps1", f"{text}\n", values) for text, values in POWERSHELL),
    *(("Dockerfile", f"FROM ubuntu\n{text}\n", values) for text, values in DOCKER),
    *(("Makefile", f"{text}\n", values) for text, values in MAKE),
    *(("ci.yml", f"{text}\n", values) for text, values in YAML),
    *(("a.py", f"import os\n{text}\n", values) for text, values in PYTHON),
    *OTHERS,
    *((name, f"{text}\n", values) for name, text, values in UNCERTAIN),
]


@pytest.mark.parametrize(("name", "text", "values"), CASES, ids=[f"{n}-{name}" for n, (name, _, _) in enumerate(CASES)])
def test_values(name: str, text: str, values: list[str]) -> None:
    """Every value, and nothing else."""
    assert [value for _, value in found(text, name)] == values


def settings() -> Iterator[tuple[str, str, list[str]]]:
    """The files of `settings.txt`: `=== NAME`, the text, and a line `--> VALUE` for each value in it."""
    for part in re.split(r"^=== ", SETTINGS.read_text("utf-8"), flags=re.M)[1:]:
        name, _, body = part.partition("\n")
        lines = body.splitlines()
        values = [line[4:].replace("\\n", "\n") for line in lines if line.startswith("--> ")]
        yield name, "".join(f"{line}\n" for line in lines if not line.startswith("--> ")), values


@pytest.mark.parametrize(("name", "text", "values"), [pytest.param(*s, id=f"{n}-{s[0]}") for n, s in enumerate(settings())])
def test_settings_as_people_write_them(name: str, text: str, values: list[str]) -> None:
    """Whole files; two values of a file may be told in another order."""
    assert sorted(value for _, value in found(text, name)) == sorted(values)


def test_each_character_has_its_place() -> None:
    """A value in pieces, with escapes, in JSON."""
    source = "os.environ['THEANO_FLAGS'] = ('device=gpu,'\n  \"floatX=float32\")\n"
    text = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": source.splitlines(keepends=True)}]}, indent=1)
    (carried,) = read(text, FileKind.NOTEBOOK).carried
    assert carried.value.text == "device=gpu,floatX=float32"
    assert "".join(text[s:e] for s, e in zip(carried.value.starts, carried.value.ends)) == carried.value.text
    assert carried.name
    assert text[slice(*carried.name)] == "THEANO_FLAGS"


def test_notebook() -> None:
    """Magics, shells, files that are written; texts and outputs set nothing."""
    cells = [
        {"cell_type": "markdown", "source": ["`THEANO_FLAGS=device=gpu python a.py`"]},
        {
            "cell_type": "code",
            "source": ["%env THEANO_FLAGS=device=gpu0, floatX=float32\n", "!THEANO_FLAGS=device=gpu1 python a.py\n", "x = 1"],
        },
        {"cell_type": "code", "source": "%%bash\nexport THEANO_FLAGS=device=gpu2\n", "outputs": [{"text": ["THEANO_FLAGS=device=gpu"]}]},
        {"cell_type": "code", "source": ["%%writefile ~/.theanorc\n", "[global]\n", "device = gpu3\n"]},
    ]
    text = json.dumps({"cells": cells, "nbformat": 4})
    values = ["device=gpu0, floatX=float32", "device=gpu1", "device=gpu2", "[global]\ndevice = gpu3\n"]
    assert [value for _, value in found(text, "a.ipynb")] == values


def test_flags_that_the_program_sets_itself() -> None:
    """By `config`, or for a while."""
    text = "theano.config.floatX = 'float32'\nif config.mode == 1: pass\nwith change_flags(compute_test_value='off'): pass\ntheanorc = 1"
    assert read(text, FileKind.PYTHON).set_in_code == {"floatX", "compute_test_value"}


@pytest.mark.parametrize(
    ("name", "first", "line", "last"),
    [
        ("a.sh", "F=a=b,\n", "F=$F$F\n", "THEANO_FLAGS=${F},device=cpu\n"),
        ("Dockerfile", "FROM x\nENV F=a=b,\n", "ENV F=$F$F\n", "ENV THEANO_FLAGS=${F},device=cpu\n"),
        ("a.csh", 'set F = "a=b,"\n', 'set F = "$F$F"\n', "setenv THEANO_FLAGS $F,device=cpu\n"),
    ],
)
def test_a_variable_that_doubles_itself(name: str, first: str, line: str, last: str) -> None:
    """Its value is given up before it fills the memory."""
    assert len(found(f"{first}{line * 60}{last}", name)[0][1]) < 30_000


@pytest.mark.parametrize("line", ["a{0} = {1} + 'd'\n", "a{0} = 'd'\n{2}"])
def test_names_that_multiply_each_other(line: str) -> None:
    """Each is computed once, and given up when it is long: twelve of them would have a million million parts."""
    lines = "".join(line.format(k + 1, " + ".join([f"a{k}"] * 10), f"a{k + 1} += a{k}\n" * 10) for k in range(12))
    text = f"import os\na0 = 'b=c,'\n{lines}os.environ['THEANO_FLAGS'] = a12 + 'device=cpu'\n"
    assert len(found(text, "a.py")[0][1]) < 30_000
