"""Makes the figures of this folder, each with a package that cannot stand among the test tools, or need not.

irrCAC pins a scipy older than ours. In an environment of its own, away from the project's:

    python -m venv /tmp/ac1 && /tmp/ac1/bin/pip install irrCAC==0.4.4
    /tmp/ac1/bin/python tests/data/references/make.py ac1

and in another, with samplics==0.6.1 and apportionment==1.0, the same with ``weighed_means`` and with ``quotas``; in a
third, with ppi-python==0.2.3, with ``prediction_powered``.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LEVELS = [1, 2, 3, 4]


def main() -> None:
    """Write the cases of one figure beside this file."""
    name = sys.argv[1]
    makers = {"ac1": ac1, "weighed_means": weighed_means, "quotas": quotas, "prediction_powered": prediction_powered}
    lines = ",\n".join(json.dumps(case) for case in makers[name]())
    (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def ac1() -> list[dict[str, Any]]:
    """Gwet's AC1 by irrCAC: its own four raters with ratings missing, then tables of two to four raters."""
    import pandas as pd  # noqa: PLC0415 - not in the project's environment
    from irrCAC.datasets import raw_4raters  # noqa: PLC0415
    from irrCAC.raw import CAC  # noqa: PLC0415

    own = raw_4raters().drop(columns="Units", errors="ignore").to_numpy().tolist()
    tables = [([[None if value != value else int(value) for value in row] for row in own], [1, 2, 3, 4, 5])]  # noqa: PLR0124
    draw = random.Random(3)  # noqa: S311 - no secret
    for number in range(24):
        raters, skew = 2 + number % 3, draw.choice([1, 5, 20])
        level = draw.choices(LEVELS, [1, 1, 2, skew], k=1_000)
        rows = [
            [None if number % 2 and draw.random() < 0.2 else level.pop() for _ in range(raters)]
            for _ in range(draw.randint(5, 40))
        ]
        tables.append((rows, LEVELS))
    cases = []
    for rows, levels in tables:
        found = CAC(pd.DataFrame(rows, dtype=float), categories=levels, digits=12).gwet()["est"]
        cases.append({"rows": rows, "levels": levels, "ac1": float(found["coefficient_value"])})
    return cases


def weighed_means() -> list[dict[str, Any]]:
    """Means over stratified samples and their standard errors by samplics, a part of the sample not in the domain."""
    import numpy as np  # noqa: PLC0415 - not in the project's environment
    from samplics import PopParam  # noqa: PLC0415
    from samplics.estimation import TaylorEstimator  # noqa: PLC0415

    draw = random.Random(5)  # noqa: S311 - no secret
    cases = []
    for number in range(16):
        scale = [0, 1] if number % 2 else [0, 0.25, 0.5, 0.75, 1]
        sizes = {key: draw.randint(3, 25) for key in "abcd"[: 2 + number % 3]}
        population = {key: size * draw.randint(1, 40) for key, size in sizes.items()}
        values = {key: [draw.choice(scale) for _ in range(size)] for key, size in sizes.items()}
        inside = {key: [number < 8 or draw.random() < 0.7 for _ in range(size)] for key, size in sizes.items()}
        estimator = TaylorEstimator(PopParam.mean)
        estimator.estimate(
            y=np.array([value for each in values.values() for value in each], dtype=float),
            samp_weight=np.array([population[key] / size for key, size in sizes.items() for _ in range(size)]),
            stratum=np.array([key for key, size in sizes.items() for _ in range(size)]),
            domain=np.array([int(each) for key in sizes for each in inside[key]]),
        )
        sampled = {
            key: [value if counts else None for value, counts in zip(values[key], inside[key], strict=True)]
            for key in sizes
        }
        figures = {"mean": float(estimator.point_est[1]), "standard_error": float(estimator.stderror[1])}
        cases.append({"values": sampled, "population": population, **figures})
    return cases


def quotas() -> list[dict[str, Any]]:
    """Seats by largest remainder by apportionment; where two remainders are the same, it is asked again."""
    from apportionment.methods import TiesException, largest_remainder  # noqa: PLC0415 - not in the environment

    draw = random.Random(9)  # noqa: S311 - no secret
    cases: list[dict[str, Any]] = []
    while len(cases) < 40:
        votes, size = [draw.randint(1, 1_000) for _ in range(draw.randint(2, 7))], draw.randint(1, 60)
        try:
            seats = largest_remainder(votes, size, tiesallowed=False, verbose=False)
        except TiesException:
            continue
        cases.append({"votes": votes, "size": size, "seats": [int(each) for each in seats]})
    return cases


def prediction_powered() -> list[dict[str, Any]]:
    """Prediction-powered means and their 95% intervals by ppi-python: power-tuned, plain, and with labels alone."""
    import numpy as np  # noqa: PLC0415 - not in the project's environment
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate  # noqa: PLC0415

    draw = random.Random(11)  # noqa: S311 - no secret
    cases = []
    for number in range(24):
        share, accuracy = draw.uniform(0.4, 0.9), draw.uniform(0.5, 0.95)
        truths = [float(draw.random() < share) for _ in range(draw.randint(60, 300))]
        judged = [truth if draw.random() < accuracy else 1 - truth for truth in truths]
        if number % 2:  # graded predictions
            judged = [round(0.7 * each + 0.3 * draw.random(), 3) for each in judged]
        count = draw.randint(20, len(truths) - 20)
        labels, predicted, others = np.array(truths[:count]), np.array(judged[:count]), np.array(judged[count:])
        tuning = [None, 1, 0][number // 2 % 3]
        estimate = np.ravel(ppi_mean_pointestimate(labels, predicted, others, lam=tuning))
        low, high = ppi_mean_ci(labels, predicted, others, alpha=0.05, lam=tuning)
        cases.append(
            {
                "labelled": list(zip(truths[:count], judged[:count], strict=True)),
                "others": judged[count:],
                "tuning": tuning,
                "mean": float(estimate[0]),
                "interval": [float(np.ravel(low)[0]), float(np.ravel(high)[0])],
            }
        )
    return cases


if __name__ == "__main__":
    main()
