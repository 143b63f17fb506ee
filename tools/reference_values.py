#!/usr/bin/env python3
"""Prints the values that the tests of bench/analyse and bench/compare expect, computed with NumPy and SciPy.

Needs numpy and scipy (the values stated come from SciPy 1.10.1). Not run by the build: the tests state the numbers.
"""
import itertools

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq, linprog

DATA = np.array([12.1, 10.4, 11.8, 15.2, 9.9, 10.7, 30.5, 11.1, 10.2, 12.9, 11.5, 10.8])
GROUPS = [[10.1, 10.4, 9.8, 10.2], [11.0, 11.3, 10.9], [9.5, 9.9, 9.6, 9.7, 9.4]]
SIZES = np.array([8.0, 64.0, 256.0, 1024.0, 4096.0])
TIMES = np.array([31.0, 410.0, 2150.0, 10400.0, 50100.0])


def show(name, *values):
    print(f"{name:32}", *(f"{value:.12g}" for value in values))


def t_quantile(p, degrees):
    """Through the incomplete beta function: stats.t.ppf of SciPy 1.10 is off in the ninth digit."""
    x = special.betaincinv(degrees / 2, 0.5, 2 * (1 - p))
    return np.sqrt(degrees * (1 - x) / x)


def mean_t(values, confidence):
    half = t_quantile(1 - (1 - confidence) / 2, len(values) - 1) * stats.sem(values)
    return values.mean() - half, values.mean() + half


def acceleration(values, statistic):
    without = np.array([statistic(np.delete(values, i)) for i in range(len(values))])
    distance = without.mean() - without
    return (distance**3).sum() / (6 * (distance**2).sum() ** 1.5)


def hettmansperger_sheather(values, confidence):
    ordered, n = np.sort(values), len(values)

    def covered(depth):
        return 1 - 2 * stats.binom.cdf(depth - 1, n, 0.5)

    depth = max(d for d in range(1, n // 2 + 1) if covered(d) >= confidence)
    share = (covered(depth) - confidence) / (covered(depth) - covered(depth + 1))
    weight = (n - depth) * share / (depth + (n - 2 * depth) * share)
    low = (1 - weight) * ordered[depth - 1] + weight * ordered[depth]
    high = (1 - weight) * ordered[n - depth] + weight * ordered[n - depth - 1]
    return low, high


def dip(values):
    """From the definition: for every place of the mode a linear program finds the nearest unimodal law."""
    x = np.sort(values)
    n = len(x)
    best = 1.0
    for mode in range(n):
        rows, limits = [], []

        def require(indices, factors, limit):
            row = np.zeros(n + 2)
            row[indices] = factors
            rows.append(row)
            limits.append(limit)

        def left(i):  # the value just below x[i], for i up to the mode
            return i

        def right(i):  # the value at x[i], from the mode on
            return i + 1

        for i in range(mode + 1):
            require([left(i), n + 1], [1, -1], i / n)
            require([left(i), n + 1], [-1, -1], -(i + (i < mode)) / n)
        for i in range(mode, n):
            require([right(i), n + 1], [-1, -1], -(i + 1) / n)
            require([right(i), n + 1], [1, -1], (i + (i == mode)) / n)
        for i in range(n):
            require([i, i + 1], [1, -1], 0)
        for i in range(1, mode):
            a, b = 1 / (x[i] - x[i - 1]), 1 / (x[i + 1] - x[i])
            require([left(i - 1), left(i), left(i + 1)], [-a, a + b, -b], 0)
        for i in range(mode + 1, n - 1):
            a, b = 1 / (x[i] - x[i - 1]), 1 / (x[i + 1] - x[i])
            require([right(i - 1), right(i), right(i + 1)], [a, -a - b, b], 0)
        cost = np.zeros(n + 2)
        cost[-1] = 1
        answer = linprog(cost, A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * (n + 2), method="highs")
        if answer.success:
            best = min(best, answer.fun)
    return best


def between_share(groups):
    sizes = np.array([len(g) for g in groups])
    means = np.array([np.mean(g) for g in groups])
    total = sizes.sum()
    centre = (sizes * means).sum() / total
    between = (sizes * (means - centre) ** 2).sum() / (len(groups) - 1)
    within = sum(((np.array(g) - m) ** 2).sum() for g, m in zip(groups, means)) / (total - len(groups))
    n0 = (total - (sizes**2).sum() / total) / (len(groups) - 1)
    assert np.isclose(between / within, stats.f_oneway(*groups).statistic)
    variance = max(0, (between - within) / n0)
    return variance / (variance + within)


def mean_dependent(values):
    n = len(values)
    d = values - values.mean()
    r = (d[1:] * d[:-1]).sum() / (d**2).sum()
    phi = min(max((n * r + 1) / (n - 4), 0), 0.9)
    inflation = 1 + 2 * sum((1 - k / n) * phi**k for k in range(1, n))
    effective = n / inflation
    variance = values.var(ddof=1) * (n - 1) / n / (1 - 1 / effective) / effective
    half = t_quantile(0.975, max(effective - 1, 1)) * np.sqrt(variance)
    return r, effective, values.mean() - half, values.mean() + half


def nominal_levels(fractions, alpha):
    """Densities of the whole line by Simpson's rule, boundaries by bisection."""
    levels, nodes, masses, before, spent = [], np.zeros(1), np.ones(1), 0, 0
    for t in fractions:
        sigma, allowed = np.sqrt(t - before), alpha * t**2 - spent

        def crossing(b):
            return (masses * (stats.norm.sf((b - nodes) / sigma) + stats.norm.cdf((-b - nodes) / sigma))).sum()

        limit = brentq(lambda b: crossing(b) - allowed, 1e-9, 12 * np.sqrt(t), xtol=1e-13)
        levels.append(2 * stats.norm.sf(limit / np.sqrt(t)))
        x = np.linspace(-limit, limit, 2001)
        weights = np.full(2001, 2.0)
        weights[1::2] = 4
        weights[[0, -1]] = 1
        density = stats.norm.pdf((x[:, None] - nodes) / sigma) @ masses / sigma
        nodes, masses, before, spent = x, weights * (x[1] - x[0]) / 3 * density, t, alpha * t**2
    return levels


def sign_flips(values):
    signs = np.array(list(itertools.product([1, -1], repeat=len(values))))
    return (np.abs(signs @ values) >= abs(values.sum()) - 1e-12).mean()


show("mean", DATA.mean())
show("deviation", DATA.std(ddof=1))
show("median", np.median(DATA))
show("quantiles .1 .25 .9 .99", *np.quantile(DATA, [0.1, 0.25, 0.9, 0.99]))
show("mad", stats.median_abs_deviation(DATA))
show("mad_to_deviation", 1 / stats.norm.ppf(0.75))
show("variation", stats.variation(DATA, ddof=1))
show("skewness", stats.skew(DATA, bias=False))

show("normal cdf 1.3, quantile .975", stats.norm.cdf(1.3), stats.norm.ppf(0.975))
show("student cdf 2.1 (4.5), q .975 (3)", stats.t.cdf(2.1, 4.5), t_quantile(0.975, 3))
show("f cdf 3.2 (4, 17)", stats.f.cdf(3.2, 4, 17))
show("chi2 cdf 7.5 (3), q .95 (10)", stats.chi2.cdf(7.5, 3), stats.chi2.ppf(0.95, 10))
show("beta cdf .3 (2, 5), q .025 (3, 8)", stats.beta.cdf(0.3, 2, 5), stats.beta.ppf(0.025, 3, 8))
show("binomial cdf 7 (20, .4)", stats.binom.cdf(7, 20, 0.4))

show("mean_t", *mean_t(DATA, 0.95))
show("mean_t 99 %", *mean_t(DATA, 0.99))
WALK = np.array([5.0, 5.3, 5.1, 5.6, 5.2, 5.7, 5.6, 5.3, 5.0, 5.2, 4.8, 4.7, 5.1, 5.4, 5.0, 5.5, 5.2, 5.3, 5.6, 4.9])
show("lag1, effective n, mean_dependent", *mean_dependent(WALK))
show("median_interval", *hettmansperger_sheather(DATA, 0.95))
show("median_interval 90 %", *hettmansperger_sheather(DATA, 0.90))
show("acceleration of the mean", acceleration(DATA, np.mean))
rng = np.random.default_rng(1)
bca = stats.bootstrap((DATA,), np.mean, n_resamples=400000, method="BCa", random_state=rng, batch=20000)
show("BCa mean (4 digits)", *bca.confidence_interval)

show("dip", dip(DATA))
show("dip of two clusters", dip(np.array([1, 1.1, 1.25, 1.3, 1.42, 5, 5.1, 5.3, 5.35, 5.5])))
show("between_share", between_share(GROUPS))

line = stats.linregress(np.log(SIZES), np.log(TIMES))
half = t_quantile(0.975, len(SIZES) - 2) * line.stderr
show("exponent, low, high, factor", line.slope, line.slope - half, line.slope + half, np.exp(line.intercept))
for name, growth in [("n", SIZES), ("n log n", SIZES * np.log(SIZES)), ("n2", SIZES**2)]:
    logs = np.log(TIMES / growth)
    show(f"{name}: factor, residual", np.exp(logs.mean()), logs.std())

show("nominal_levels 2", *nominal_levels([0.5, 1], 0.05))
show("nominal_levels 4", *nominal_levels([0.25, 0.5, 0.75, 1], 0.05))
show("nominal_levels 4, 0.00025", *nominal_levels([0.1, 0.15, 0.6, 1], 0.00025))
show("nominal_levels 10", *nominal_levels(np.arange(1, 11) / 10, 0.05))

LOGS = np.array([0.021, -0.004, 0.013, 0.034, 0.008, -0.011, 0.087, 0.016, 0.002, 0.019])
show("one-sample t, p", *stats.ttest_1samp(LOGS, 0))
show("one-sample t, p against 0.01", *stats.ttest_1samp(LOGS, 0.01))
show("mean, error", LOGS.mean(), stats.sem(LOGS))
show("interval at 0.01", *(LOGS.mean() + np.array([-1, 1]) * t_quantile(0.995, 9) * stats.sem(LOGS)))
show("sign flips", sign_flips(LOGS), sign_flips(np.array([1.0, 2, 3, 4])))

OTHER = np.array([11.2, 9.7, 10.1, 13.3, 9.1, 10.3, 12.2, 9.6])
MANY = np.round(10 + 3 * np.sin(np.arange(25) ** 2), 1)
SHIFTED = np.round(10.9 + 3 * np.sin(1.7 * np.arange(30) ** 2), 1)
welch = stats.ttest_ind(DATA, OTHER, equal_var=False)
va, vb = DATA.var(ddof=1) / 12, OTHER.var(ddof=1) / 8
show("Welch t, p, degrees", *welch, (va + vb) ** 2 / (va**2 / 11 + vb**2 / 7))
DEGREES = (va + vb) ** 2 / (va**2 / 11 + vb**2 / 7)
HALF = t_quantile(0.975, DEGREES) * np.sqrt(va + vb)
show("Welch interval", DATA.mean() - OTHER.mean() - HALF, DATA.mean() - OTHER.mean() + HALF)
show("Mann-Whitney, exact", *stats.mannwhitneyu(DATA, OTHER))
show("Mann-Whitney, exact, far", *stats.mannwhitneyu(DATA + 5, OTHER))
show("Mann-Whitney, exact, 3 and 40", *stats.mannwhitneyu([0.05, 3.2, 40.7], np.arange(40)))
show("Mann-Whitney, ties", *stats.mannwhitneyu(MANY, SHIFTED))
show("Mann-Whitney, few ties", *stats.mannwhitneyu([1, 2, 2, 5], [2, 3, 4]))
show("Wilcoxon, exact, of LOGS", *stats.wilcoxon(LOGS, mode="exact"))
WAVES = np.round(10 * np.sin(np.arange(1, 151) ** 2.0))
FASTER = np.round(10 * np.sin(1.7 * np.arange(1, 31) ** 2.0)) + 3
show("Wilcoxon, 150 values", *stats.wilcoxon(WAVES, correction=True, mode="approx"))
show("Wilcoxon, 150 values, moved", *stats.wilcoxon(WAVES + 1, correction=True, mode="approx"))
show("Mann-Whitney, 30 and 40", *stats.mannwhitneyu(FASTER, WAVES[:40], method="asymptotic"))
show("Wilcoxon, exact", *stats.wilcoxon(DATA - 11.27))
show("Wilcoxon, ties", *stats.wilcoxon(MANY - 9, mode="approx"))
show("Wilcoxon, zeros", *stats.wilcoxon([0, 0, 1.5, -2.5, 3, 4, 5.5, 6, -7.5, 8, 9, 10], mode="approx"))


def permutations(a, b):
    every = np.concatenate([a, b])
    sums = np.array([every[list(c)].sum() for c in itertools.combinations(range(len(every)), len(a))])
    differences = sums / len(a) - (every.sum() - sums) / len(b)
    return a.mean() - b.mean(), (np.abs(differences) >= abs(a.mean() - b.mean()) - 1e-12).mean()


def cliff(a, b, confidence):
    signs = np.sign(a[:, None] - b[None, :])
    m, n, d = len(a), len(b), signs.mean()
    rows, columns = ((signs.mean(1) - d) ** 2).sum(), ((signs.mean(0) - d) ** 2).sum()
    variance = (n**2 * rows + m**2 * columns - ((signs - d) ** 2).sum()) / (m * n * (m - 1) * (n - 1))
    variance = max(variance, (1 - d**2) / (m * n - 1))
    z = stats.norm.ppf((1 + confidence) / 2)
    reach = z * np.sqrt(variance) * np.sqrt((1 - d**2) ** 2 + z**2 * variance)
    return d, (d - d**3 - reach) / (1 - d**2 + z**2 * variance), (d - d**3 + reach) / (1 - d**2 + z**2 * variance)


show("permutation, 5 and 4", *permutations(DATA[:5], OTHER[:4]))
show("permutation, 12 and 8", *permutations(DATA, OTHER))
show("Cliff's delta", *cliff(DATA, OTHER, 0.95))
for name, centre, method in [("means, BCa", np.mean, "BCa"), ("medians", np.median, "percentile")]:

    def ratio(a, b, axis=-1):
        return centre(a, axis=axis) / centre(b, axis=axis)

    rng = np.random.default_rng(1)
    found = stats.bootstrap((DATA, OTHER), ratio, n_resamples=400000, method=method, random_state=rng, batch=20000)
    show(f"ratio of {name} (3 digits)", ratio(DATA, OTHER), *found.confidence_interval)


def power(effect, deviation, n, alpha, sides):
    degrees = sides * (n - 1)
    noncentrality = np.log1p(effect) / deviation * np.sqrt(n / sides)
    limit = t_quantile(1 - alpha / 2, degrees)
    return stats.nct.sf(limit, degrees, noncentrality) + stats.nct.cdf(-limit, degrees, noncentrality)


show("noncentral t", stats.nct.cdf(1.5, 4.5, 0.7), stats.nct.cdf(-2.2, 9, 2.53))
show("power, paired", power(0.02, 0.025, 10, 0.05, 1), power(0.02, 0.025, 6, 0.00025, 1))
show("power, independent", power(0.02, 0.025, 10, 0.05, 2), power(0.02, 0.025, 40, 0.01, 2))
for name, n, share, alpha, sides in [("10", 10, 0.8, 0.05, 1), ("10 a side", 10, 0.8, 0.05, 2), ("4", 4, 0.9, 0.00025, 1)]:
    show(f"visible effect, {name}", brentq(lambda e: power(e, 0.025, n, alpha, sides) - share, 1e-6, 1, xtol=1e-15))
