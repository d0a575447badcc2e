"""Words with which libraries, compilers and systems describe failures, independent of the rest of the message."""

from __future__ import annotations

import re

_CANNOT = r"(?:fail(?:ed|ure|s)?|unable|can ?not|can't|could(?: not|n't)|not able|impossible)"
FAILED = re.compile(
    rf"(?i)\b(?:{_CANNOT}|out of memory|oom|not enough|insufficient|exceed\w*|exhaust\w*|too (?:large|big)|tr(?:ied|ying)|"
    r"memory ?error|greater than|larger than)\b|MemoryError|OutOfMemory"
)
"""Something that was requested could not be provided."""
_SIZE = r"(?P<size>\d[\d,]{0,23}(?:\.\d{0,9})?) ?(?P<unit>(?:[kmgt]i?)?b(?:ytes?)?|[kmgt])\b"
ASKED = re.compile(
    r"(?i)(?:alloc(?:ate|ating|ations?|s)?|be(?:en)? allocated|malloc\w{0,8}|mmap|reserve|request(?:ed|ing)?|out of memory)\b"
    rf"[^\d\n]{{0,60}}{_SIZE}|"
    r"(?:(?:alloc\w{0,6}|buffer|block|(?<!reshape )array|chunk|region)\b[^\n\d]{0,40}\b(?:of )?size[ :=]{1,3}|"
    r"alloc\w{0,6}\b[^\n]{0,60}?\b(?=\d+ ?> ?\d{4}))(?P<bare>\d{4,19})\b(?! ?(?:x|by|[kmgt]i?b)\b)"
)
"""The requested amount: `size` and `unit`, or `bare` bytes."""
RAN_OUT = re.compile(
    r"(?i)\bout of (?:\w+ ){0,2}memory\b|\b(?:not enough|insufficient) (?:\w+ ){0,2}(?:memory|RAM)\b|memory (?:is |was )?exhausted|"
    r"ran out of (?:\w+ ){0,2}memory|MemoryError|OutOfMemory|bad[_ ]alloc\b|memory allocation (?:error|fail\w+)|"
    rf"\b{_CANNOT} (?:to )?(?:re)?(?:alloc\w*|malloc|mmap|reserve)\b[^\n]{{0,60}}\b(?:memory|bytes|buffer|array|tensor|workspace|heap)\b|"
    rf"\b{_CANNOT} (?:to )?create\b[^\n]{{0,60}}\b(?:memory|bytes|heap)\b"
)
DEVICE = re.compile(
    r"(?i)(?:\b|_)(?:gpu(?:[ _:]?\d{1,2})?|cuda(?::\d)?)(?:\b|_)|"
    r"\b(?:device memory|device \d|hbm|vram|hip|rocm|tpu|npu|xpu|mps|metal|opencl|triton|nvidia|dml|directml)\b|"
    r"(?:cuda|hip)[A-Z]\w+|cuMem|pyopencl|MEM_OBJECT_ALLOC|CL_OUT_OF|"
    r"CU(?:DA|BLAS|DNN)_|GPU_\d|gpuarray|RESOURCE_EXHAUSTED|Resource exhausted"
)
"""An accelerator; the last two alternatives are XLA's names."""
HOST = re.compile(r"(?i)\b(?:(?:host|main|system|cpu|physical|virtual) memory|swap|ram|cpu)\b|bad_alloc|\b(?:one)?MKL\b")
FAMILY = r"theano|aesara|pytensor|pymc3?|arviz|keras|lasagne|nolearn|blocks|pylearn2"
"""Folders of the frameworks and of libraries written over them."""
_SAMPLERS = r"nutpie|numpyro|blackjax|bambi|aeppl"
"""Folders of further libraries that PyMC's users call."""
PACKAGE = re.compile(r"(?:(?:site|dist)-packages[/\\]+|File \"?)(?P<package>\w{1,40})[/\\.]")
"""The library in a frame of a traceback."""
PACKAGE_FOLDER = re.compile(
    rf"(?:(?:site|dist)-packages[/\\]+|[/\\]egg[/\\]|[/\\](?=(?:{FAMILY}|{_SAMPLERS})[/\\])|[/\\]jax[/\\](?=jax[/\\])|"
    r"(?<=File \")(?=(?:theano|aesara|pytensor|pymc3?|lasagne|pylearn2)[/\\](?:__init__\.py|\w+[/\\])))"
    r"(?:[\w.-]+\.egg[/\\])?(?P<package>\w{1,40})[/\\.]"
)
"""The installed library of a frame."""
ON_HOST = frozenset((
    "numpy", "scipy", "pandas", "sklearn", "h5py", "xarray", "arviz", "netCDF4", "zarr", "pyarrow", "PIL", "matplotlib", "networkx",
    "joblib", "dill", "cloudpickle", "skimage", "statsmodels", "tables", "polars", "cv2", "nutpie", "nibabel",
))  # fmt: skip
"""Libraries that keep all their data in host memory."""
ON_DEVICE = frozenset(("pygpu", "cupy", "pycuda", "pyopencl", "cudf", "rmm"))
FOR_DEVICE = re.compile(r"(?i)cuda|gpu|opencl|rocm")
"""A package whose name indicates a device."""
CODE = re.compile(
    r"\b(?P<library>CUDA|CU(?:BLAS|DNN|SOLVER|FFT|RAND|SPARSE|BLASLT|TENSOR)|NCCL|HIP(?:BLAS|FFT|SPARSE)?|ROCBLAS|ROCSOLVER|MIOPEN|NVML)_"
    r"(?!SUCCESS|STATUS_SUCCESS|VISIBLE|LAUNCH_BLOCKING|HOME|PATH|VERSION\b|DEVICE_ORDER|ROOT|MODULE)"
    r"(?:STATUS_|ERROR_)?(?P<code>[A-Z_]{3,50})\b|"
    r"\b(?P<runtime>cuda|hip|nccl|miopen|rocblas)(?:Error|Status|_status_)(?!_t\b)(?P<name>[A-Z_a-z]{3,40})\b"
)
"""A status of CUDA, HIP or one of their libraries."""
NO_ROOM = re.compile(r"(?i)alloc_?fail|out_?of_?memory|memoryallocation|allocation_failed|memory_error")
NO_START = re.compile(
    r"(?i)not_?initialized|no_?device|insufficient|version|arch|no_?(?:binary|kernel)|invalid_?(?:device|image|ptx)|unsupported|system_|"
    r"compat|unavailable|library|initialization"
)
ACCELERATOR = re.compile(
    r"RuntimeError: (?:Py)?Gpu[A-Z]\w*\b|\bCudaNdarray_\w+|"
    r"\b(?:gpuarray|GpuArray|gpu kernel|gpu code|cublas|curand) (?:\w+ )?(?:error|failed)|"
    r"\b(?:CUDA|HIP|Cuda|ROCm) (?:runtime |driver |kernel )?(?:[Ee]rror|[Ff]ailure|exception)\b|Triton Error \[CUDA\]"
)
LIBRARY = re.compile(
    r"(?i)\bcu(?:blas|dnn|solver|fft|rand|sparse)\b[^\n]{0,40}\b(?:not (?:been )?initiali[sz]ed|initiali[sz]ation (?:failed|error)|"
    r"could not be (?:initiali[sz]ed|created))"
)
"""A CUDA library that could not be started, in words."""
_WHICH = (
    r"(?:shapes?|dim(?:ension)?s?|sizes?|lengths?|ax[ei]s|ranks?|ndims?|dimensionalit(?:y|ies)|"
    r"numbers? of (?:\w+ ){0,2}(?:dimensions|elements|rows|columns|samples|features|indices|subscripts))"
)
_UNLIKE = (
    r"(?:mis-?match(?:e[ds]|ing)?|not contain the correct|conflicting|not match(?:ing)?|(?:does|do|did)n't match|incompatible|"
    r"not compatible|inconsisten(?:t|cy)|unequal|not aligned|not (?:be )?equal|"
    r"(?:can ?not|could not) be (?:broadcast|multiplied)|not broadcast\w*|differ(?:s|ent)?|disagree|"
    r"(?:must|should) (?:all )?(?:be (?:of )?(?:equal|the same|divisible|a multiple)|match|agree|equal|have (?:the )?(?:same|equal))|"
    r"not divisible|evenly divide|requires? the same|too few|too many)"
)
_MUST = (
    r"(?:must|should|need(?:s|ed)?|expect(?:s|ed)?|requires?|only (?:supports?|implemented|supported|takes?|accepts?|works?)|"
    r"can(?:'t|not)|does not)"
)
SHAPES = re.compile(
    rf"(?i)\b{_WHICH}\b[^\n]{{0,120}}\b{_UNLIKE}\b|\b{_UNLIKE}\b[^\n]{{0,60}}\b{_WHICH}\b|"
    r"\bexpected\b[^\n]{0,60}\b(?:shape|ndim|dimensions?|sizes?|channels)\b[^\n]{0,80}\b(?:got|found|but|received)\b|"
    r"\b(?:shape|dimensional?|ndim)\b[^\n]{0,80}\bexpected\b|broadcast[^\n]{0,40}(?:\(\d+,|\[\d+,)[^\n]{0,80}(?:\(\d*,|\[\d+)|"
    r"inhomogeneous shape|\bshape\b[^\n]{0,40}\binvalid for\b|"
    rf"\b{_MUST}\b[^\n]{{0,60}}\b(?:\d|one|two|three|four|five)[- ]?(?:d|dims?|dimensions?|dimensional|core_dims)\b|"
    r"\b(?:must|should|needs?|expect(?:s|ed)?|requires?)\b[^\n]{0,40}\b(?:ndim|shape|square)\b|"
    r"\b(?:not|non-|isn't) ?(?:a )?square\b|\bmust be (?:a )?square\b|\b(?:more|fewer|less)\b[^\n]{0,20}\bdim(?:ension)?s\b|"
    r"\b(?:shorter|longer|larger|smaller) th[ae]n\b[^\n]{0,60}\b(?:number|shape|dim\w*)\b|"
    r"(?:can ?not|can't|unable to|invalid|impossible)[^\n]{0,20}\breshape|broadcasting not allowed|never match a shape|"
    rf"\b(?:wrong|incorrect|invalid|unsupported|unexpected|improper) (?:\w+ ){{0,2}}{_WHICH}\b|"
    rf"\b{_WHICH}\b[^\n]{{0,40}}\bis (?:wrong|incorrect|invalid|not valid)\b|"
    rf"\b(?:with|not|have) the same {_WHICH}\b|"
    r"\bshapes?\b[^\n()\[\]]{0,20}[(\[][\d, ]{0,40}[)\]][^\n()\[\]]{1,60}[(\[][\d, ]{0,40}[)\]]|"
    r"\b(?:dimension|rank|ndim) (?:of )?(?:[<>=!]=? ?|exactly |at least )?\d\b[^\n]{0,30}\b(?:or more|got|but|given|found)\b|"
    r"\b(?:must|should|requires?) [^\n]{0,30}\b(?:dimension|rank|length) (?:of )?(?:[<>=!]=? ?|exactly |at least )?\d\b|"
    r"\b\d+ dimensions?\b[^\n]{0,160}\b(?:while|but|whereas|instead|and)\b[^\n]{0,160}\b\d+ dimension|"
    r"\bmust be (?:a )?scalar\b|scalar-output|negative dimension|cardinality is ambiguous|mis-?match\b[^\n]{0,20}\b\d+\b[^\n]{0,40}\b\d+|"
    r"total size of new array must be unchanged|\bdimension with value <= 0|do(?:es)? not sum (?:up )?to\b|\bmatching shapes\b|"
    r"attempted to collapse dimension|negative dimensions are not allowed|must not be larger than the input|"
    r"\b[Dd]imension \d+ (?:in|of) [^\n]{1,40}supposed to be \d|"
    r"too many indices for|zero-size array|sequence with size \d+ to array|object (?:too deep|of too small depth) for|"
    r"does not result in an equal division|\bTensorType\((?P<dtype>\w+), [^\n]{1,80}\bTensorType\((?P=dtype), |"
    r"\bshape\b[^\n]{1,80}\b(?:but|vs|instead of|on an output of|isn't|is not|differs from)\b[^\n]{0,60}\bshape\b"
)
"""Lengths that should be equal but are not."""
OF_NUMPY = re.compile(
    r"could not (?:be )?broadcast (?:input array|together)[^\n]{0,20}shape|cannot reshape array of size|shapes [^\n]{1,60} not aligned"
)
"""NumPy's messages about shapes, which need no name of an exception."""
_NAMED = r"(?:float|u?int|bfloat|complex)(?:8|16|32|64|128)"
_KIND = rf"(?:dtypes?|data ?types?|scalar type|{_NAMED}|(?:Double|Float|Half|Long|Int|BFloat16)(?:Tensor)?)"
DTYPES = re.compile(
    rf"\b{_KIND}\b[^\n]{{0,120}}\b(?i:mismatch|same (?:d?type|data type)|not match|n't match|incompatible|but (?:got|found|expected)|"
    rf"can ?not (?:be )?cast|expected|instead of)\b[^\n]{{0,80}}\b{_KIND}\b|"
    rf"(?i:expected|cannot cast|same)\b[^\n]{{0,80}}\b{_KIND}\b[^\n]{{0,60}}\b(?i:but|got|found|to|from)\b[^\n]{{0,40}}\b{_KIND}\b|"
    rf"\b(?i:d?types?|cast|convert)\b[^\n]{{0,300}}?\b(?P<a>{_NAMED})\b[^\n]{{1,200}}?(?<![<>])\b(?!(?P=a)\b){_NAMED}\b|"
    r"(?i:\bdtypes?\b[^\n]{0,40}\b(?:not supported|unsupported)\b|\bunsupported (?:dtype|data type)|same dtypes?)\b|"
    r"expected type_num|(?i:must have (?:identical|equal|the same|same) types?)\b|ufunc '\w+' not supported for the input types|"
    rf"(?i:\b(?:matching|compatible|identical|same|equal|consistent|incompatible|invalid|unsupported|mismatched|"
    r"differing) (?:d?types|dtype)\b)|"
    r"(?i:not a valid dtype|converted to dtype|(?:can ?not|could not) cast (?:dtype|data|array|'same_value'))|"
    rf"(?i:\b{_MUST}\b[^\n]{{0,50}}\b(?:integer|int|float(?:ing)?(?:[- ]point)?|complex|bool(?:ean)?|real|numeric|discrete)[- ]"
    r"(?:d?types?|valued|tensors?|inputs?|arrays?)\b)|"
    rf"(?i:\b{_MUST}|only)\b[^\n]{{0,120}}\b(?i:got|but|received|found)\b[^\n]{{0,60}}\b{_NAMED}\b|"
    rf"\btype\b[^\n]{{0,120}}\bbut\b[^\n]{{0,60}}\btype\b[^\n]{{0,40}}\b(?:TensorType|Tensor|ShapedArray|{_NAMED}|[fs](?:32|64))\b"
)
"""Two dtypes where a single one is required."""
COUNTED = re.compile(
    r"(?i)^(?=[^\n]{0,600}\b(?:arrays?|tensors?|elements?|sizes?|dimensions?|numel|buffers?|indices|allocat\w+)\b)[^\n]{0,600}?"
    r"(?:\b(?:exceed\w*|(?:larger|greater|more|less|fewer) than|too (?:large|big|many)|overflow\w*|fit in(?:to)?|up to)\b[^\n]{0,60}"
    r"\b(?:u?int_max|u?int32(?:_max)?|2 ?(?:\*\*|\^) ?31|2147483647|32[- ]bit (?:int\w*|index\w*|signed)|kint32max|'?intp'?|c int)(?!\w)|"
    r"canUse32BitIndexMath|\b32[- ]bit index\w*[^\n]{0,40}\b(?:overflow|exceed|too large))"
)
"""An array with more elements than can be counted, in words."""
DRAWS = re.compile(r"'(?:InferenceData|DataTree|MultiTrace)' object")
"""An object that holds the draws of a sampler."""
TRACED = re.compile(r"(?<!Subgraph)(?<!Export)(?<!fx\.)\w*Tracer\b|Traced<|not '(?:Shaped|Concrete)Array'|Tracer(?:Array|Bool|Integer)\w+")
"""A value that JAX traces, where code wants another one."""
STATIC = re.compile(
    r"Concretization|\btype of (?:axis|shape|size|length)\b|\bconcrete (?:value|shape|integer|array)s?\b|"
    r"(?i:must be (?:\w+ )?(?:static(?:ally known)?|known (?:statically|at compile))|shape is not static|"
    r"dynamic shapes? (?:is|are) not supported)"
)
_ENGINE = r"(?:[Nn]umba|JAX|jax|XLA|[Pp]y[Tt]orch|torch\.compile|MLX|nopython mode|C code)"
NO_FORM = re.compile(
    rf"\b{_ENGINE}\b(?! arrays are immutable)[^\n]{{0,60}}\b(?:does not|doesn't|do not|cannot|can't|not yet|not) (?:yet )?"
    r"(?:support\w*|implement\w*|available|handle)\b|"
    rf"\b(?:not (?:yet )?(?:implemented|supported|available)|unsupported|[Nn]o (?:implementation|conversion|dispatch\w*))\b"
    rf"[^\n]{{0,60}}\b{_ENGINE}\b|is not (?:implemented|supported) (?:for|on|by) (?:the )?(?:'?\w+'? )?(?:backend|platform|device)|"
    r"Error: UNIMPLEMENTED\b|not implemented for '(?:Half|Bool|Long|Int|Double|BFloat16|Char|Byte)'|failed to legalize operation|"
    r"(?:data )?types? (?:is|are) not supported|MLIR translation rule for primitive"
)
"""A graph compiler without an implementation for something."""
TOOL = re.compile(
    r"(?:^|[\s/\\\"'>(])(?:[\w.+-]{0,40}-)?(?:ld(?:\.\w{2,5})?|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|cc1plus|nvcc|cl|link|LINK|collect2|"
    r"ptxas|as|gfortran|cmake|CMake|make(?:\[\d\])?|ninja|xcrun|xcodebuild)(?:-\d{1,2})?(?:\.exe)?[\"']? ?: "
    r"(?:fatal |internal compiler )?(?:[Ee]rror\b|cannot (?:find|open|execute|specify|exec)|can't|unknown (?:option|argument|file)|"
    r"unrecognized|invalid|\*\*\*|warning: .{0,200}error|symbol)|"
    r"\bcommand '[^']{0,120}(?:gcc|g\+\+|clang|nvcc|cl\.exe|cmake|ld)[^']{0,40}' (?:failed|returned|died)|\b[Bb]roken toolchain\b"
)
"""A compiler or a linker, by its name before a colon."""
UNFIT = re.compile(
    r"(?i)\b(?:requires?|requested|needs?|expects?|depends on|built (?:with|against|for)|compiled (?:with|against|for|using))\b[^\n]{0,80}"
    r"(?:[<>=!~]=?\s?v?\d+\.\d+|\b\w*versions?\b)[^\n]{0,80}\b(?:but|however|found|installed|which is|you have|got)\b|"
    r"(?:incompatible|unsupported|mismatched) (?:\w+ ){0,2}versions?\b|version (?:mismatch|conflict)|"
    r"is not compatible with (?:the )?(?:installed|current|your) (?:\w+ )?version|\bversion of [\w.-]+ is too (?:old|new)\b"
)
_GPU = (
    r"(?:CUDA|[Cc][Uu](?:DNN|BLAS|SOLVER|FFT|SPARSE)|CuPy|Cupy|cupy|pygpu|libgpuarray|PyCUDA|pycuda|GPUs?|NVML|libcuda[\w.]{0,20}|"
    r"ROCm|HIP|TPUs?)"
)
_GONE = r"(?:not (?:be )?(?:available|found|enabled|installed|detected|loaded|usable|in sync)|unavailable|missing|disabled)"
BEYOND = re.compile(
    r"(?i)^(?:\w+\.)*IndexError: \(?['\"]?"
    r"(?:index (?:-?\d+ )?(?:is )?out of (?:bounds|range)\b|dimension out of range|[^\n]{0,60}\bout[- ]of[- ]bounds?\b)|"
    r"\bindices\[[\d, ]{1,40}\] = -?\d+ is not in \["
)
"""An index beyond a length."""
OVERFLOWN = re.compile(r"overflow encountered in (?:\w+ )?(?:multiply|scalar multiply|add|prod|reduce|cast|power)")
"""NumPy's warning if the number of elements was computed with too few bits."""
NEGATIVE = re.compile(r"negative dimensions are not allowed")
FLOAT_LENGTH = re.compile(r"'(?:numpy\.)?float\d{0,3}' object cannot be interpreted as an (?:integer|index)")
OTHER_LIBRARY = re.compile(r"-packages[/\\]+(?!numpy\b)\w")
OF_LIBRARY = re.compile(
    r"^\s*from (?:theano|aesara|pytensor|pymc\w*|arviz|keras|tensorflow|lasagne|nolearn|jax|numba|numpy|scipy|sklearn|torch|pylearn2|"
    r"blocks|fuel|pygpu|pandas)\b|"
    r"(?<![\w.])(?:np|numpy|T|tt|th|TT|theano|tensor|at|pt|aesara|pytensor|lasagne|nn|keras|K|tf|tensorflow|pm|pymc3?|sp|scipy|"
    r"sklearn|torch|jax|jnp|pd|plt|sandbox|cuda)\.\w"
)
"""A source line that imports from a known library."""
LIBRARY_FILE = re.compile(rf"[/\\](?:{FAMILY}|fuel|pygpu)[/\\][^\n]{{0,200}}\.py")
"""A frame of a known library, wherever it is installed."""
NO_NAME = re.compile(r"ImportError: cannot import name '?\w{1,60}'?[`\"\s]*$", re.MULTILINE)
"""Python 2's message, which does not name the module."""
UNPLACED = re.compile(r"ImportError: cannot import name '\w{1,60}' from '\w[\w.]{1,80}'[`\"\s]*$", re.MULTILINE)
"""The message that names the module without its file."""
MODULE_LACKS = re.compile(r"^(?:\w+\.)*AttributeError: 'module' object has no attribute '")
OF_FILE = re.compile(r" from '[\w.]+' \((?![^)\n]*-packages[/\\])[^)\n]*\.py\)")
"""The end of a message that names the module's file, which is the user's."""
NO_PLATFORM = re.compile(r"(?i)platform is not supported|\bdisplay\b|X connection")
"""Messages of an installed package that cannot run on this system."""
BUILTIN = re.compile(
    r"'(?:float|int|str|list|tuple|dict|bool|bytes|set|NoneType|function|slice|module|numpy\.\w+)' object has no attribute"
)
TENSOR = r"(?:Tensor|EagerTensor|KerasTensor|SymbolicTensor|ResourceVariable|RefVariable)"
"""The classes of TensorFlow's and Keras' variables."""
OBJECT_LACKS = re.compile(rf"(?!{BUILTIN.pattern})'[\w.]*' object has no attribute '(?P<name>\w+)'")
"""An object of a library's class, or of the script's, without an attribute."""
NO_GPU = re.compile(
    rf"(?<![\w.]){_GPU}\b(?! memory)(?! kernels?\b)[^\n]{{0,60}}"
    rf"\b(?:(?:is|are|was|were)(?:n't)? (?:\w+ )?{_GONE}|{_GONE}|(?:is|are) (?:needed|required))\b|"
    rf"\b(?:[Nn]o|[Rr]equires?|[Nn]eeds?|[Ww]ithout) (?:\w+ ){{0,3}}{_GPU}\b(?! memory) ?"
    r"(?:support\w*|devices?|cards?|found|available|detected|with|driver|enabled|$|\.)|"
    r"\b(?:cuda|cu|cudnn|cublas|cusolver|hip|nccl)[A-Z]\w{2,40} symbol not found"
)
"""A GPU, or one of its libraries, that is missing."""
ABSENT = re.compile(
    r"[\w`'\"\])] (?:package |module |library )?(?:is|was|are) not installed\b|\bpip3? install\b|\bconda install\b|\bplease install\b|"
    r"\bmissing (?:\w+ ){0,2}dependenc(?:y|ies)\b|"
    r"\b(?:must|needs? to|has to|to|may not|not) be installed\b|\bis needed for \w+Op\b|is not available and \w+ Op\b|"
    r"\brequires? (?:the )?(?:\w+ ){0,2}(?:library|package|module)\b",
    re.IGNORECASE,
)
"""A library that is not installed."""
FRAME = re.compile(
    r"[ \t>|]{0,8}(?:File )?(?:(?!\w+ [^\n]{0,40}\bsetup\.py\b)[\"\w~./][^\n]{0,300}\.(?:py|pyx|pxi|pyc|ipynb)\b|"
    r"[/~][^\n<]{0,200}[/\\]<ipython-input|\"?<(?:ipython-input|stdin|timed )|(?:Cell|Input) In ?\[|In ?\[\d+\], line)"
)
"""The traceback line that names the file, or notebook cell, of a frame."""
IN_LINE = re.compile(r"(?:line \d{1,9}|:\d{1,9}), in |\.pyc? in (?=\S)")
"""The line of a frame, up to the name of its function."""
COMPILED_CODE = re.compile(
    r"\d{4,5}(?:[ \t][^\n]*[;{}/*)]|)[ \t]*(?:\n|$)|[^\n]{0,300}\bmod\.c(?:pp|u)[:(]\d{1,6}[:),]|\d{1,3}[ \t]+#include [<\"]", re.MULTILINE
)
"""A line of the C code that Theano prints with its numbers where it does not compile, or of what a compiler says of that code."""
PRINTED_CODE = re.compile(r"\d{3,5}[ \t]{2,}[^\n]*[;{}(),\"]\s*$", re.MULTILINE)
"""A line of such code: an error's text in it is what the program would say."""
STARTS_GPU = re.compile(r"[\\/](?:xla_bridge\.py|gpuarray[\\/]__init__\.py)")
"""The code that starts the GPU, in a frame."""
CELL = re.compile(r"<(?:ipython-input|stdin|timed )|(?:Cell|Input) In\b|In ?\[\d|ipykernel|\.ipynb\b")
"""A frame of a notebook's cell, or of a line that was typed."""
CHECKOUT = re.compile(r"[/\\](?P<package>\w{1,40})[/\\](?P=package)[/\\]")
"""The folder of a package inside of a repository with its name."""
OF_R = re.compile(r"\bpy_\w{2,20}_impl\(|reticulate::|py_last_error")
"""R's line about an error of Python, which leaves out the traceback."""
IN_FUNCTION = re.compile(r"\bin (?:[\w.]*\.)?(?P<name>(?!__)[a-zA-Z_]\w{0,60})(?:\(|\s*$)")
"""The function that a frame names; a method that Python calls itself has no name that a user knows."""
ARROW = re.compile(r"^-+> ?\d+ [^\n]*(?:\n(?! *\d+ |-+>)[^\n]*)*", re.MULTILINE)
"""The statement that IPython marks among the lines that it shows of a frame."""
CALL = re.compile(r"(?<![\w.])((?!def |class |if |for |while |return |print\()[A-Za-z_][\w.]{0,80})\(")
"""A call in a line of source."""
KEYWORD = re.compile(r"got an unexpected keyword argument '(?P<name>\w{1,60})'")
PASSED_ON = re.compile(r"\n[^\n]*\*\*\w+\)?")
"""A frame whose source passes on arguments by name that it was given."""
PASSES = re.compile(r"[(,]\s*\*{1,2}\w|\(\s*\Z")
"""A call that passes on arguments, or whose arguments are on lines that are not shown."""
OPEN_CALL = re.compile(r"\A[^\n]*-packages[^\n]*\n(?:[^\n]*\($|[^\n()*]*\w ?=(?!=)[^\n()*]*\)$)", re.MULTILINE)
"""A frame of an installed package that shows the first or the last line of a call, whose other arguments are on lines not shown."""
LACKS = re.compile(
    r"[Mm]odule '?(?P<library>[a-z]\w*)[\w.]*'? has no attribute|"
    r"cannot import name '?\w+'? from (?:partially initialized module )?'?(?P<source>[a-z]\w*)"
)
"""A name that a library's module does not have."""
UNEXPECTED = re.compile(
    r"got an unexpected keyword argument|takes \d+ positional arguments? but|missing \d+ required (?:positional|keyword-only) argument|"
    r"has no attribute '"
)
"""Messages about a function or class whose signature differs from what its caller expects."""
PRIVATE = re.compile(r"cannot import name '?_(?!_)\w+'? from|[Mm]odule '?\w[\w.]*'? has no attribute '?_(?!_)")
"""A name that only other libraries ask for."""
LOST = re.compile(
    r"(?i)\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b|\b(?:by|on|with|to|received|caught|process:?) signal:? ?(?:11|6|7|4|8)\b|"
    r"\b(?:exit(?:ed)?|return(?:ed)?)[ _-]?(?:with )?(?:code|status)?[:= ]{0,3}"
    r"(?:139|134|132|135|136|-11|-6|-4|-7|-8|3221225477|-1073741819|-1073740791)\b|"
    r"process (?:didn't|did not) terminate success|\bkernel\b.{0,20}\b(?:died|dead|crash\w*|restart(?:ing|ed))\b|"
    r"\bworkers? (?:process |'\w+' )?(?:(?:is|are|was|were) dead|died|crashed|exited unexpectedly)|\bnode down: |access violation"
)
STOPPED = re.compile(
    r"(?i)\bexit(?:ed)?[ _-]?(?:with )?(?:code|status)[:= ]{0,3}(?:143|130|-15)\b|received signal (?:15|SIGTERM)|"
    r"wall-?(?:clock|time)? ?(?:time)? ?(?:limit )?exceeded|time ?limit (?:was )?(?:exceeded|reached)|"
    r"exceeded (?:the )?(?:wall|time)[ -]?limit|exceeded (?:the )?max\w* (?:execution |run)?-?time|execution took longer than|"
    r"program aborting due to (?:control-C|window-CLOSE)"
)
_ENDED = r"(?:kill(?:ed|ing)?|terminat(?:ed|ing)|evict(?:ed|ing)|remov(?:ed|ing)|abort(?:ed|ing)|preempted)"
KILLED = re.compile(
    rf"(?i)\b{_ENDED}\b(?! (?:due to|with) (?:an )?(?:uncaught|unhandled)| after throwing)[^\n]{{0,100}}?\b"
    r"(?:(?:excess\w*|exceed\w*|over|too much|high|out of|beyond|limit of|due to|low on|insufficient) (?:\w+ ){0,4}(?:memory|RSS|RAM)\b|"
    r"oom\b|(?:memory|RSS|RAM) (?:\w+ ){0,3}(?:limit|exceed\w*|pressure|overuse))|"
    r"\b(?:job|worker|process|task|step|container|pod|program)\b[^\n]{0,60}\bexceed\w* [^\n]{0,30}"
    r"\bmemory (?:budget|limit|quota|allowance)\b|"
    rf"\b(?:memory|RSS|RAM) (?:\w+ ){{0,4}}(?:exceed\w*|limit|over)\b[^\n]{{0,100}}\b{_ENDED}\b"
)
"""A process was ended because of a lack of memory."""
NO_FILE = re.compile(r"No such file or directory|[Pp]ermission denied|not a git repository|No rule to make target|no makefile found")
"""What a program other than Python says of a file that it cannot use."""
CHECKED = re.compile(r"(?!Memory|Import|ModuleNotFound|OS|IO|Recursion)\w*(?:Error|Exception|Inference)$")
"""Exceptions that libraries raise for invalid arguments."""
ACCIDENT = re.compile(r"(?:Attribute|Type|Key|Index|Name|UnboundLocal|ZeroDivision|Value|Runtime|Overflow|Buffer|System|Unicode\w+)Error$")
"""Exceptions that Python, or C code, raises when code encounters an unexpected value."""
OF_NODE = re.compile(r"\w+: \('The following error happened while compiling the node'[^\n]{0,2000}?(?:is not defined|before assignment)")
"""An error of Python that Theano's own code met while it compiled an Op."""
BETWEEN = re.compile(r"(?:Attribute|Type|Import|ModuleNotFound|Name)Error$")
"""Exceptions that a library raises which meets another release of what it imports."""
OF_VALUE = re.compile(r"(?:Value|Type|Key|Index|NotImplemented)Error$")
"""Exceptions by which a library says what it does not take."""
OF_LINE = re.compile(r"(?:Name|UnboundLocal|Key|Index|ZeroDivision|Syntax|Indentation|Tab|Import|ModuleNotFound|EOF)Error$|StopIteration$")
"""Exceptions that Python's own operators and statements raise in the line that a frame shows."""
OWN_CLASS = re.compile(
    r"[\s>|]*(?!(?:__main__|builtins|exceptions|concurrent|multiprocessing|_?pickle|json|subprocess|socket|ssl|urllib|http|queue|zipfile)\.)"
    r"(?:\w+\.)+[A-Z]\w*(?<!Runtime)Error: \S+ \S"
)
"""An exception that has the module of a library in its name: that library raised it on purpose."""
OF_PYTHON = re.compile(
    r"(?:not enough|too many|need more than \d+) values\b|invalid literal|could not convert|not in (?:list|tuple|deque)|"
    r"substring not found|"
    r"math domain|(?:max|min)\(\) |empty (?:sequence|range)|list\.remove|time data|unconverted data|I/O operation|embedded null|read-only|"
    r"assignment destination|dictionary update|byte must be|is not defined|not subscriptable|not callable|unhashable|unsupported operand|"
    r"not supported between|has no (?:attribute|len)|object is not|object has no|required positional|positional argument|can't multiply|"
    r"indices must be|out of range|truth value|argument of type|must be str|can only concatenate|not iterable|unexpected keyword|"
    r"\btakes [^\n]{1,40}arguments?\b|missing \d+ required|bad operand type|is required\b|expected sequence object|cannot be interpreted as"
)
"""Messages of Python's and NumPy's own functions: code met what it does not expect."""
SIGNATURE = re.compile(
    r"\(\) (?:takes\b[^\n]{1,60}\bpositional arguments?\b|missing \d+ required|takes (?:at least|at most|exactly|no) "
    r"[^\n]{0,30}arguments?\b)"
)
"""A call with other arguments than the function has."""
OF_ARGUMENT = re.compile(
    r"\bmust be an? (?:tuple|list|str\w*|dict\w*|callable|function|bool\w*|sequence|iterable|instance)\b[^\n]{0,160}\b(?:got|of type <)|"
    r"\bmust be [^\n]{0,160}\bgot <class '(?![^'\n]*(?:Variable|Tracer|ndarray|Array)')"
)
"""An argument of another kind than a function takes."""
OF_FAMILY = re.compile(rf"[/\\](?:{FAMILY}|{_SAMPLERS}|pymc_\w+|arviz_\w+|xarray|fuel)[/\\]")
INSTALLED = re.compile(r"-packages[/\\]|[/\\]egg[/\\]")
"""The file of an installed package."""
IN_LIBRARY = re.compile(
    rf"{INSTALLED.pattern}|[/\\]jax[/\\]jax[/\\]|[/\\](?:{FAMILY})[/\\](?!examples?\b|tests?\b|scripts?\b)\w+[/\\]\w+\.py"
)
"""The file of a library, installed or in a checkout of its own."""
BUILT_ON = re.compile(
    rf"(?:{_SAMPLERS}|pymc_\w+|arviz\w*|nolearn|hssm|hddm|kulprit|causalpy|exoplanet|celerite2|starry|sunode|gempy|beat|sknn)\Z"
)
"""Packages that call PyMC, Theano or JAX for their users."""
STANDARD = r"[/\\][Ll]ib[/\\]python\d|(?:conda\d?|forge\d?|mamba|Python\d{2,3}|[/\\]envs[/\\][^/\\\n]{1,80})\\[Ll]ib\\"
"""In the name of a file of Python's own library."""
OTHER_PACKAGE = re.compile(rf"{INSTALLED.pattern}|{STANDARD}")
OF_MODULE = re.compile(r"in <module>(?:\(\))?\s*$|:\d+\s*$")
"""A frame of a module's own lines, and of none of its functions."""
OLD_SYNTAX = (
    r"\b(?:def|import|as|class) (?:async|await)\b|\b(?:async|await) ?(?:[=,):]|$)|\b(?:self|\w+)\.(?:async|await)\b|"
    r"\bprint [\"'\w%]|\bexcept [\w.]+ ?, ?\w+ ?:|\braise \w+ ?, ?[\"'\w]|\bexec [\"'\w]|<>|\bur[\"']|(?<![\w.])0[0-7]+\b"
)
"""A line of source of Python 2, or in which `async` or `await` is a name, as it could be before Python 3.7."""
_AGAIN = r"exc_value\b|value\.with_traceback|self\._exception\b"
PASSED_UP = re.compile(rf"^[\s>\d-]{{0,40}}(?:raise (?:{_AGAIN})|(?:six\.)?reraise\()", re.MULTILINE)
"""A source line that raises again what other code raised."""
RAISES = re.compile(rf"^[\s>\d-]{{0,40}}raise\s+(?!{_AGAIN})\w", re.MULTILINE)
"""A source line that raises: the library raised the error deliberately."""
ASSERTS = re.compile(r"^[\s>\d-]{0,40}assert\s", re.MULTILINE)
"""A source line that raises an AssertionError; another exception was raised while its condition was computed."""
KEY = re.compile(r"[\s>|]*KeyError: u?(?P<quote>['\"])(?P<name>\w[^\n]{0,100})(?P=quote)")
BARE_ASSERTION = re.compile(r"[\s>|]*AssertionError:?[ \t]*(?:\n|\Z)")
LITERAL = re.compile(r"[\"']([^\"'\n{}%]{8,200})")
"""A text in a line of source, up to the first value that is put into it."""
COMPILED = re.compile(
    r"\A[^\n]*?(?:(?P<package>\w{1,40})[/\\][\w.]{1,60}\.p(?:yx|xi|xd)\b|[\"/\\][\w.]{1,60}\.p(?:yx|"
    r"xi|xd)\", line \d+, in (?:init )?(?P<module>\w{1,40})\.)"
)
"""A frame of a library's code in C, whose source is not shown."""
CALLS_OP = re.compile(
    r"\A[^\n]*(?:compile[/\\]function(?:_module|[/\\]types)\.py|(?:gof|link|link[/\\]c)[/\\](?:vm|link|utils|op)\.py|scan_op|"
    r"scan[/\\]op\.py|scan_perform)"
)
"""The frame that computes a compiled function."""
OF_TYPE = re.compile(r"expected an ndarray|\btype(?:s\b|_num|\b(?! of))|\bprecision\b|\bdtypes?\b")
LAYOUT = re.compile(r"(?i)contiguous|\bstrides?\b|\baligned\b")
ON_GPU = re.compile(r"\bGpu[A-Z]|(?i:\bcudnn|magma|\bcublas)")
VALUE = re.compile(
    r"(?i)^(?:\w*cast\w*|value|type|runtime|assertion|index|linalg|invalid\w*|shape\w*|dimension\w*|broadcast\w*|xlaruntime|"
    r"jaxruntime)error$|^Exception$"
)
"""Exceptions about values."""
