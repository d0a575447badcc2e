"""The module `sklearn.cross_validation`, which scikit-learn 0.20 removed: its iterators know the number of rows, or the labels.

Source: sklearn/cross_validation.py of scikit-learn 0.17. The rows drawn for a `random_state` are the same, but for those of
`StratifiedShuffleSplit` and of `train_test_split(stratify=...)`, which scikit-learn draws in another way since 0.18.
"""

import importlib
from typing import Any, Iterator, List, Optional, Tuple

import numpy

_selection = importlib.import_module("sklearn.model_selection")
cross_val_predict = _selection.cross_val_predict
cross_val_score = _selection.cross_val_score
permutation_test_score = _selection.permutation_test_score


def train_test_split(*arrays: Any, dtype: Any = None, **options: Any) -> Any:
    """Splits arrays at random in two; `dtype` has no effect, as there."""
    return _selection.train_test_split(*arrays, **options)


class _Folds:
    """Pairs (indices for training, indices for the test), which can be iterated over more than once."""

    def __init__(self, splitter: Any, rows: int, labels: Any = None, groups: Any = None) -> None:
        self.pairs: List[Tuple[Any, Any]] = list(splitter.split(numpy.zeros(rows), labels, groups))

    def __iter__(self) -> Iterator[Tuple[Any, Any]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


class KFold(_Folds):
    """`n` rows in `n_folds` parts."""

    def __init__(self, n: int, n_folds: int = 3, shuffle: bool = False, random_state: Any = None) -> None:
        super().__init__(_selection.KFold(n_folds, shuffle=shuffle, random_state=random_state if shuffle else None), int(n))


class LeaveOneOut(_Folds):
    """Each of `n` rows for one test."""

    def __init__(self, n: int) -> None:
        super().__init__(_selection.LeaveOneOut(), int(n))


class LeavePOut(_Folds):
    """Each choice of `p` of `n` rows for one test."""

    def __init__(self, n: int, p: int) -> None:
        super().__init__(_selection.LeavePOut(p), int(n))


class LeaveOneLabelOut(_Folds):
    """The rows of each label for one test."""

    def __init__(self, labels: Any) -> None:
        super().__init__(_selection.LeaveOneGroupOut(), len(labels), groups=labels)


class ShuffleSplit(_Folds):
    """`n_iter` choices of rows at random."""

    def __init__(self, n: int, n_iter: int = 10, test_size: Any = 0.1, train_size: Any = None, random_state: Any = None) -> None:
        super().__init__(_selection.ShuffleSplit(n_iter, test_size=test_size, train_size=train_size, random_state=random_state), int(n))


class StratifiedShuffleSplit(_Folds):
    """`n_iter` choices of rows at random, with the labels `y` in the same proportions."""

    def __init__(self, y: Any, n_iter: int = 10, test_size: Any = 0.1, train_size: Any = None, random_state: Any = None) -> None:
        splitter = _selection.StratifiedShuffleSplit(n_iter, test_size=test_size, train_size=train_size, random_state=random_state)
        super().__init__(splitter, len(y), y)


class StratifiedKFold(_Folds):
    """`n_folds` parts with the labels `y` in the same proportions: each label is divided as by `KFold`."""

    def __init__(self, y: Any, n_folds: int = 3, shuffle: bool = False, random_state: Any = None) -> None:
        labels = numpy.asarray(y)
        random = importlib.import_module("sklearn.utils").check_random_state(random_state) if shuffle else None
        part: Any = numpy.zeros(len(labels), dtype=int)
        for label in numpy.unique(labels):
            rows = numpy.flatnonzero(labels == label)
            for number, (_, test) in enumerate(KFold(max(len(rows), n_folds), n_folds, shuffle, random)):
                part[rows[test[test < len(rows)]]] = number
        super().__init__(_selection.PredefinedSplit(part), len(labels))


def check_cv(cv: Any, X: Any = None, y: Optional[Any] = None, classifier: bool = False) -> Any:
    """The folds: a number of folds as an iterator, an iterator as it is."""
    if cv is None or isinstance(cv, int):
        return StratifiedKFold(y, cv or 3) if classifier and y is not None else KFold(len(X), cv or 3)
    return cv
