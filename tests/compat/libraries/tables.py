"""What scripts wrote for pandas before 2 and 3, and for SciPy before 1.9; prints JSON."""

import io
import json
import pickle

import numpy as np
import pandas as pd

from theanodiag.compat.libraries import restore  # noqa: F401

import scipy.integrate  # isort: skip
import scipy.signal  # isort: skip
import scipy.stats  # isort: skip

table = pd.DataFrame({"a": [1, 0, 3], "b": ["x", "y", "z"], "c": [1.0, None, 2.0]})
answers = {
    "positions": [
        list(table.drop("a", 1).columns),
        pd.concat([table, table], 1).shape,
        list(table.sort_values("a", 0, False).a),
        table.pivot("a", "b", "c").shape,
        list(table.any(1)),
        list(table.set_index("a", False).columns),
        table.c.dropna(0).shape,
        table.reset_index(0, True).shape,
        list(table.b.str.split("y", 1, True)[0]),
    ],
    "filled": [list(table.c.fillna(method="ffill")), list(table.fillna(method="pad").c), list(table.c.fillna(5.0))],
    "deviation": [table.a.mad(), list(table[["a"]].mad())],
    "indicators": [str(pd.get_dummies(table.b)["x"].dtype), list(table.b.str.replace("[xy]", "-")), list(table.b.str.replace(".", "-"))],
    "read": [pd.Series.from_csv(io.StringIO("2015-01-01,2\n2015-01-02,3")).index.year.tolist(), pd.datetime(2015, 1, 1).year, pd.np is np],
}
texts, dates = pd.Series([1, 2], ["p", "q"]), pd.Series([3, 4], pd.to_datetime(["2015-01-01", "2015-01-02"]))
answers["by position"] = [int(texts[0]), int(texts[-1]), int(dates[1]), int(pd.Series([5, 6], [1, 0])[0]), int(table.a[2])]
column = table["a"]
table.a[table.a == 0] = 7
table["b"][0] = "q"
table["c"].fillna(0, inplace=True)
table["a"].loc[table.b == "z"] = 4
table.a.iloc[0] = 2
answers["in the table"] = [list(table.a), list(table.b), list(table.c), list(column)]
part, copied = table[table.a > 2], table.copy()
part["a"][:] = 0
copied["a"][0] = 0
before = table["a"]
table["a"] = [8, 8, 8]
before[0] = 9
answers["in another table"] = [list(table.a), list(part.a), list(before), list(pickle.loads(pickle.dumps(before)))]
days = pd.date_range("2020-01-30", periods=4, freq="D")
series = pd.Series(range(4), days, name="n")
coded = pd.DataFrame({"text": ["p", "q"]})
coded.loc[:, "text"] = [1, 0]
answers["coded"] = list(coded.text)
months = pd.Series([1, 2], pd.period_range("2020", periods=2, freq="M"))
answers["durations"] = [
    [len(series.resample("M").sum()), len(series.groupby(pd.Grouper(freq="M")).sum()), len(series.asfreq("12H"))],
    [len(months.resample("A").sum()), str(pd.date_range("2020", periods=2, freq="2H")[1]), isinstance(days[1] - days[0], pd.Timedelta)],
    [round(pd.Timedelta(1, "Y") / pd.Timedelta(1, "D"), 4), round(pd.Timedelta(2, unit="M") / pd.Timedelta("1D"), 4)],
]
try:
    series.resample("nothing")
except ValueError as error:
    answers["durations"].append("nothing" in str(error))
pd.set_option("display.mpl_style", "default")
kinds = pd.DataFrame({"kind": ["p", "q", "p"], "n": [1, 2, 1]})
answers["counted"] = [
    list(kinds.kind.value_counts().reset_index().columns),
    list(kinds.groupby("kind")["n"].value_counts(normalize=True).to_frame().columns),
    list(kinds.drop(columns=["n"], axis=1).columns),
]
from matplotlib import pyplot  # noqa: E402

axes = pyplot.figure().add_subplot(1, 1, 1)
axes.change_geometry(2, 1, 2)
answers["moved"] = bool(axes.get_position().y1 < 0.5)
numbers = np.arange(5.0)
answers["scipy"] = [
    round(float(scipy.stats.median_absolute_deviation(numbers)), 4),
    scipy.stats.itemfreq([1, 1, 2]).tolist(),
    round(float(scipy.stats.binom_test(3, 10)), 4),
    float(scipy.integrate.simps(numbers, x=numbers)),
    scipy.signal.gaussian(1, 2).tolist(),
]
print("ANSWERS " + json.dumps(answers))
