"""Which distribution of PyPI brings a module, and modules that no distribution brings."""

DISTRIBUTIONS = {
    "sklearn": "scikit-learn", "skimage": "scikit-image", "cv2": "opencv-python", "PIL": "Pillow", "Image": "Pillow", "yaml": "PyYAML",
    "bs4": "beautifulsoup4", "lasagne": "https://github.com/Lasagne/Lasagne/archive/master.zip", "MySQLdb": "mysqlclient",
    "Levenshtein": "python-Levenshtein", "serial": "pyserial", "progressbar": "progressbar2", "dateutil": "python-dateutil",
    "mkl": "mkl-service", "skcuda": "scikit-cuda", "sksparse": "scikit-sparse", "umap": "umap-learn", "pywt": "PyWavelets",
    "attr": "attrs", "dotenv": "python-dotenv", "pkg_resources": "'setuptools<81'", "zmq": "pyzmq", "git": "GitPython", "Bio": "biopython",
    "osgeo": "GDAL", "psycopg2": "psycopg2-binary", "ruamel": "ruamel.yaml", "community": "python-louvain", "docx": "python-docx",
    "google": "protobuf", "pylab": "matplotlib", "mpl_toolkits": "matplotlib", "OpenGL": "PyOpenGL", "usb": "pyusb",
    "Crypto": "pycryptodome", "guppy": "guppy3", "midi": "python-midi", "win32api": "pywin32", "setuptools": "'setuptools<81'",

    "pylearn2": "https://github.com/lisa-lab/pylearn2/archive/master.zip", "blocks": "https://github.com/mila-iqia/blocks/archive/master.zip",
    "jwt": "PyJWT", "speech_recognition": "SpeechRecognition",
}  # fmt: skip
"""Module -> what pip install takes for it."""
SAME_NAME = frozenset(
    """altair argcomplete arviz astropy attrs bambi bandmat blackjax bokeh bottle cachetools cartopy celerite cffi cherrypy click climate
    cloudpickle colorama colorcet configobj control corner cycler cython Cython daft dask deap descartes dill django docopt
    downhill easydict editdistance emcee ephem fastdtw fastprogress filterpy flask flask_cors flask_restful folium fuel future
    gensim geopandas george graphviz gym h5py healpy hmmlearn holoviews hyperopt imageio ipdb ipykernel ipython IPython ipywidgets
    jax jieba jinja2 joblib jsonschema jupyter keras langdetect librosa lifelines lightkurve line_profiler lmdb luigi lxml madmom
    markdown matplotlib mdtraj memory_profiler mir_eval missingno mne mock moviepy mpi4py msgpack multiprocess music21 nengo
    netCDF4 networkx nibabel nilearn nltk nolearn nose notebook numba numexpr numpy numpydoc numpyro nutpie obspy onnx openpyxl
    optuna pandas pandas_datareader pandas_profiling pathlib2 patsy peewee pexpect picklable_itertools plotly plotnine pomegranate
    pretty_midi prettytable prody protobuf psutil py pyaudio pybedtools pybrain pydub pyemma pyfaidx pyfftw pygame pyglet pygments
    pyinstrument pykalman pymc pymongo pyparsing pyproj pyreadstat pyro pysam pystan pytensor pytest pytz quandl rasterio rdkit
    redis requests resampy retrying sacred scipy seaborn shapely simplejson six sounddevice soundfile spacy sphinx
    sqlalchemy statsmodels sympy tables tabulate tensorboard tensorboardX tensorflow termcolor textblob theanets toolz torch
    torchvision tornado tqdm tslearn twython typing_extensions ujson unidecode watermark wget wordcloud xarray xgboost xlrd
    xlsxwriter xlwt yfinance zarr""".split()
)
"""Modules whose distribution on PyPI has the same name. A module in neither table may be a missing part of a repository, and PyPI may
have an unrelated project of its name."""
PYTHON2_MODULES = frozenset(
    """cPickle cStringIO StringIO urllib2 urlparse ConfigParser Queue commands __builtin__ HTMLParser httplib Tkinter tkMessageBox thread
    dummy_thread xmlrpclib SocketServer BaseHTTPServer SimpleHTTPServer copy_reg exceptions itertools md5 sets anydbm whichdb""".split()
)
GPU_MODULES = frozenset(
    "pygpu pycuda cudamat gnumpy scikits skcuda cudandarray cuda_ndarray pylearn2.sandbox.cuda_convnet libgpuarray".split()
)
"""Modules of Python 2's standard library, and modules that need a GPU."""
