"""Places of a register: postcodes in regions, where people were born, and of which country they are."""

import numpy as np

from qidguard_qidlearning.generators.coded import Coded, conditional, weighted

REGIONS = 8
TOWNS = 6
"""Towns of birth in each region."""
COUNTRIES = ("home", *(f"country {letter}" for letter in "ABCDEFGHIJKL"))


def postcodes(rng: np.random.Generator, *, persons: int, count: int) -> Coded:
    """Return where people live: few large and many small postcodes; the first digit is the region's."""
    sizes = np.arange(1, count + 1) ** -0.6
    values = tuple(f"{i % REGIONS + 1}{i // REGIONS * 7 % 10_000:04d}" for i in range(count))
    return Coded(values=values, codes=weighted(rng, sizes, persons))


def birth_places(rng: np.random.Generator, home: Coded) -> Coded:
    """Return where people were born: over half in the region they live in, a seventh abroad."""
    towns = tuple(f"town {r + 1}-{t + 1}" for r in range(REGIONS) for t in range(TOWNS))
    size = np.tile(np.arange(1, TOWNS + 1) ** -0.8, REGIONS)
    abroad = np.arange(1, len(COUNTRIES)) ** -0.7
    weights = np.zeros((REGIONS, len(towns) + len(abroad)))
    for region in range(REGIONS):
        is_near = np.repeat(np.arange(REGIONS) == region, TOWNS)
        near, far = size * is_near, size * ~is_near
        domestic = 0.56 * near / near.sum() + 0.3 * far / far.sum()
        weights[region] = np.concatenate([domestic, 0.14 * abroad / abroad.sum()])
    drawn = conditional(rng, weights, home.codes % REGIONS)
    return Coded(values=(*towns, *COUNTRIES[1:]), codes=drawn)


def nationalities(rng: np.random.Generator, born: Coded) -> Coded:
    """Return nationalities: of the home country, or mostly of the country of birth."""
    countries = len(COUNTRIES)
    weights = np.full((countries, countries), 0.06 / (countries - 1))
    weights[0, 0] = 0.94
    weights[1:] = 0.05 / countries
    weights[1:, 0] += 0.35
    weights[1:, 1:] += 0.6 * np.eye(countries - 1)
    country = np.maximum(born.codes - REGIONS * TOWNS + 1, 0)
    return Coded(values=COUNTRIES, codes=conditional(rng, weights, country))
