"""What the report says beside the numbers: words and signs, captions, what repeats."""

from __future__ import annotations

# For a reader who does not know the paper.
WORDS = {
    "W, Wᵀ": "the matrix of weights; W[i, j] is the edge i → j. The paper draws its data from X = "
    "XWᵀ + Z, in which W[i, j] is j → i, so distances are given to W and to Wᵀ where this decides "
    "what is printed. W* is the true one.",
    "SHD": "structural Hamming distance: edges missing, too many or reversed, each counted once. "
    "The empty graph has as many as there are edges; it stands beside every SHD.",
    "class SHD": "the same between equivalence classes (CPDAGs), which is all that Gaussian data "
    "can tell unless the noise variances are equal.",
    "NNZ, non-zeros": "entries of W that are not exactly zero.",
    "> 0.3, the cut": "weights below 0.3 in size are set to zero by hand, as the baselines need.",
    "h, h̃": "an acyclicity constraint, zero exactly on DAGs, and its smoothed form, with |w| "
    "replaced by √(w² + δ²). ρ(W∘W) is the spectral radius of the squared weights.",
    "λ₁, δ, ε, α, μ": "the weight of the L1 penalty, the width of the smoothing, the constant in "
    "the normalisation, the share of w² in the hybrid core, and the weight of h.",
    "‖∇L(0)‖∞": "the largest covariance of two columns: from this λ₁ on W = 0 is stationary. The "
    "paper calls it the stability condition.",
    "EXP, AAC, DAGMA": "the paper's baselines; EXP is NOTEARS. AHOC, SPG-AHOC: its proposals.",
    "daglock, the engine": "what this package runs. ProxLinear: its proximal step, which keeps |W| "
    "as it is.",
    "how a run ends": "converged: h within tolerance and a DAG; converged cyclic: h within "
    "tolerance, yet with a cycle of small weights; line search stalled: no step lowers the "
    "objective; penalty limit: the weight of h reached its end; stayed at start: W = 0 was never "
    "left.",
}
# What each figure shows, by its name.
CAPTIONS = {
    "axioms": "Gradient norm along W = wU, U a cycle of two nodes and an edge that leaves it: "
    "standard constraints (left) and the hybrid-order ones (right). Dotted: w = 1, where ρ(W∘W) = "
    "1.",
    "cycles": "Gradient norm as ρ(W∘W) tends to one (left), over all ρ (middle), and on a ring "
    "whose weights grow while ρ stays at 0.5 (right).",
    "origin": "Gradient norm along W = tU, U dense, as t tends to zero. A line that falls to the "
    "left vanishes; A2 asks for a level one.",
    "incompatibility": "Order p of the gradient at zero for the normalised exponential of "
    "|w|^(2γ), with the lines 4γ − 1 and 2γ − 1 that theory gives.",
    "smoothing": "Against the width δ: the largest gap between h̃ and h, the largest curvature of "
    "h̃, and the step size that SPG accepts.",
    "smoothing_rate": "The least squared norm of the gradient mapping in the first k steps of SPG "
    "from W = 0, at two weights μ of the constraint; dotted: a fall like 1/k.",
    "sparse": "Best SHD over λ₁ for each method, to the true graph (filled) and to its transpose "
    "(hollow), beside what the paper prints; mean over graphs.",
    "scalability": "CPU time and SHD against the number of variables. SPG-AHOC (λ₁ = 1), daglock "
    "and sortnregress as they come out, the others after the cut at 0.3. Dotted: Table 3.",
    "sachs": "SHD to the graph with 17 edges along λ₁, on all 7466 rows and on the 853 of one "
    "experiment. Points are set apart sideways where they coincide.",
    "sachs_class": "Distance between equivalence classes on 853 rows; filled: measured here, "
    "hollow: as published. Best over λ₁ for the methods that have it.",
    "near_cyclic": "Runs on a positive cycle with ρ(W∘W) = 0.999996: the constraint of each "
    "method, the spectral radius and the norm of W along the way.",
    "near_cyclic_lagrangian": "The same runs: the augmented Lagrangian and the weight ρ of h²/2, "
    "for the methods that have them.",
    "near_cyclic_ends": "h at the end of every run, on three kinds of data; one point for each "
    "seed.",
    "delta": "SPG-AHOC against the width δ: SHD, non-zeros and time, mean over graphs.",
    "stabiliser": "‖W‖_F in the first outer loop of SPG-AHOC for several λ₁ (left and middle, one "
    "graph), and its largest value against λ₁ on all graphs (right).",
    "limits": "SPG-AHOC along λ₁: share of the true edges that it has, and its number of "
    "non-zeros, before and after the cut. A run that the limit of time ended is drawn where it "
    "stood.",
    "identification_portrait": "Two variables, 0 → 1: the weights of both directions from several "
    "starts (left), and the size of the wrong one along the way (right).",
    "identification": "Each line is a run, the mark the step K from which on its support does not "
    "change.",
    "identification_assumptions": "The assumptions of the recovery theorem on the data sets of the "
    "experiments: γ (left) and the λ₁ that the proof needs over the one that beta-min allows "
    "(right).",
    "proof": "The largest pull of the loss on an absent edge at the true weights, which so many "
    "tables stay below, against the rows (left); the bias of smoothing against δ (right).",
    "beyond": "Time (left) and error (middle) of one evaluation of h and its gradient on sparse "
    "matrices with a few short cycles, and time of whole runs (right).",
}
REPEATED = (
    "All data are seeded: with the same versions on the same machine a second run gives the same "
    "records but for times. Two things may still differ: where a run stands when a limit of time "
    "ends it (named as such), and FLOP, which takes no seed."
)
