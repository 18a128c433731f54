"""Writes independent.jsonl: what scipy and statsmodels say where ../shared/golden has no vector.

python3 -m venv v && v/bin/pip install scipy statsmodels && v/bin/python independent.py > independent.jsonl
"""
import json, sys
import numpy as np, scipy, statsmodels
from scipy stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa

out = lambda **k: print(json.dumps(k))
out(kind="versions", numpy=np.__version__, scipy=scipy.__version__, statsmodels=statsmodels.__version__)
for p in [1e-9, 1e-6, .001, .025, .05, .2, .5, .8, .9, .975, .995, .9999]:
    out(kind="normal", p=p, q=float(stats.norm.ppf(p)))
for x in [0, 1e-6, .5, 1, 3.841458820694124, 10, 50, 300]:
    out(kind="chi2", x=x, p=float(stats.chi2.sf(x, 1)))
for k, n, p in [(0, 1, .5), (3, 10, .5), (7, 10, .3), (500, 1191, .5), (12, 1540, .01), (70, 150, .5), (0, 40, .1), (4999, 10000, .5)]:
    out(kind="binomial", k=k, n=n, p=p, cdf=float(stats.binom.cdf(k, n, p)), pmf=float(stats.binom.pmf(k, n, p)))
for k, n, c in [(0, 5, .9), (3, 1191, .99), (1097, 1191, .9), (600, 1540, .999)]:
    ci = stats.binomtest(k, n).proportion_ci(c, "exact")
    out(kind="clopper", k=k, n=n, conf=c, lo=float(ci.low), hi=float(ci.high))
r = np.random.default_rng(7)
for _ in range(20):
    b, c = int(r.integers(0, 400)), int(r.integers(0, 400))
    t = [[500, b], [c, 100]]
    e, k, x = mcnemar(t, exact=True), mcnemar(t, exact=False, correction=True), mcnemar(t, exact=False, correction=False)
    out(kind="mcnemar", b=b, c=c, exact=float(e.pvalue), corrected=float(k.statistic), corrected_p=float(k.pvalue), chi2=float(x.statistic), chi2_p=float(x.pvalue))
for _ in range(10):
    t = r.integers(0, 300, (3, 3))
    k = cohens_kappa(t)
    out(kind="cohen", table=t.tolist(), kappa=float(k.kappa), se=float(k.std_kappa), lo=float(k.kappa_low), hi=float(k.kappa_upp))
for n in (8, 40, 300):
    size = r.integers(1, 60, n)
    sums = [int(r.binomial(m, p)) for m, p in zip(size, r.beta(8, 3, n))]
    s, m = np.array(sums), np.array(size)
    b = stats.bootstrap((s, m), lambda x, y, axis=-1: x.sum(axis) / y.sum(axis), paired=True, vectorized=True, n_resamples=100000, method="percentile", rng=r)
    out(kind="bootstrap", sums=sums, n=size.tolist(), lo=float(b.confidence_interval.low), hi=float(b.confidence_interval.high))
