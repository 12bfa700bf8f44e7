"""The words and signs that the report uses, for a reader who does not know the paper."""

from __future__ import annotations

WORDS: tuple[tuple[str, str], ...] = (
    (
        "W, Wᵀ",
        "the matrix of weights; W[i, j] is the edge i → j. The paper draws its data from "
        "X = XWᵀ + Z, in which W[i, j] is j → i, so distances are given to W and to Wᵀ where this "
        "decides what is printed. W* is the true one.",
    ),
    (
        "SHD",
        "structural Hamming distance: edges missing, too many or reversed, each counted once. The "
        "empty graph has as many as there are edges; it stands beside every SHD.",
    ),
    (
        "class SHD",
        "the same between equivalence classes (CPDAGs), which is all that Gaussian data can tell "
        "unless the noise variances are equal.",
    ),
    ("NNZ, non-zeros", "entries of W that are not exactly zero."),
    (
        "> 0.3, the cut",
        "weights below 0.3 in size are set to zero by hand, as the baselines need.",
    ),
    (
        "h, h̃",
        "an acyclicity constraint, zero exactly on DAGs, and its smoothed form, with |w| replaced "
        "by √(w² + δ²). ρ(W∘W) is the spectral radius of the squared weights.",
    ),
    (
        "λ₁, δ, ε, α, μ",
        "the weight of the L1 penalty, the width of the smoothing, the constant in the "
        "normalisation, the share of w² in the hybrid core, and the weight of h.",
    ),
    (
        "‖∇L(0)‖∞",
        "the largest covariance of two columns: from this λ₁ on W = 0 is stationary. The paper "
        "calls it the stability condition.",
    ),
    ("EXP, AAC, DAGMA", "the paper's baselines; EXP is NOTEARS. AHOC, SPG-AHOC: its proposals."),
    (
        "daglock, the engine",
        "what this package runs. ProxLinear: its proximal step, which keeps |W| as it is.",
    ),
    (
        "how a run ends",
        "converged: h within tolerance and a DAG; converged cyclic: h within tolerance, yet with a "
        "cycle of small weights; line search stalled: no step lowers the objective; penalty limit: "
        "the weight of h reached its end; stayed at start: W = 0 was never left.",
    ),
)
REPEATED = (
    "All data are seeded: with the same versions on the same machine a second run gives the same "
    "records but for times. Two things may still differ: where a run stands when a limit of time "
    "ends it (named as such), and FLOP, which takes no seed."
)
