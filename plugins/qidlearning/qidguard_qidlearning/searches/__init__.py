"""The search strategies, one file each."""

from qidguard.sdk import SearchStrategy
from qidguard_qidlearning.searches.beam import Beam
from qidguard_qidlearning.searches.branch_and_bound import BranchAndBound
from qidguard_qidlearning.searches.evolutionary import Evolutionary
from qidguard_qidlearning.searches.exhaustive import Exhaustive
from qidguard_qidlearning.searches.greedy import Greedy
from qidguard_qidlearning.searches.simulated_annealing import SimulatedAnnealing
from qidguard_qidlearning.searches.tabu import Tabu

SEARCH_STRATEGIES: tuple[SearchStrategy, ...] = (
    Beam(),
    BranchAndBound(),
    Evolutionary(),
    Exhaustive(),
    Greedy(),
    SimulatedAnnealing(),
    Tabu(),
)
"""All of them, by name."""
