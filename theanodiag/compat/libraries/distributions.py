"""Which distribution of PyPI brings a module, where their names differ by more than hyphens."""

DISTRIBUTIONS = {
    "sklearn": "scikit-learn", "skimage": "scikit-image", "cv2": "opencv-python", "PIL": "Pillow", "Image": "Pillow", "yaml": "PyYAML",
    "bs4": "beautifulsoup4", "lasagne": "https://github.com/Lasagne/Lasagne/archive/master.zip", "MySQLdb": "mysqlclient",
    "Levenshtein": "python-Levenshtein", "serial": "pyserial", "progressbar": "progressbar2", "dateutil": "python-dateutil",
    "mkl": "mkl-service", "skcuda": "scikit-cuda", "sksparse": "scikit-sparse", "umap": "umap-learn", "pywt": "PyWavelets",
    "attr": "attrs", "dotenv": "python-dotenv", "pkg_resources": "'setuptools<81'", "zmq": "pyzmq", "git": "GitPython", "Bio": "biopython",
    "osgeo": "GDAL", "psycopg2": "psycopg2-binary", "ruamel": "ruamel.yaml", "community": "python-louvain", "docx": "python-docx",
    "google": "protobuf",
}  # fmt: skip
"""Module -> what pip install takes for it."""
