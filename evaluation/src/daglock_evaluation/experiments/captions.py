"""What each figure of the report shows, by its name."""

from __future__ import annotations

CAPTIONS: dict[str, str] = {
    "axioms": (
        "Gradient norm along W = wU, U a cycle of two nodes and an edge that leaves it: "
        "standard constraints (left) and the hybrid-order ones (right). Dotted: w = 1, where "
        "ρ(W∘W) = 1."
    ),
    "cycles": (
        "Gradient norm as ρ(W∘W) tends to one (left), over all ρ (middle), and on a ring whose "
        "weights grow while ρ stays at 0.5 (right)."
    ),
    "origin": (
        "Gradient norm along W = tU, U dense, as t tends to zero. A line that falls to the "
        "left vanishes; A2 asks for a level one."
    ),
    "incompatibility": (
        "Order p of the gradient at zero for the normalised exponential of |w|^(2γ), with the "
        "lines 4γ − 1 and 2γ − 1 that theory gives."
    ),
    "smoothing": (
        "Against the width δ: the largest gap between h̃ and h, the largest curvature of h̃, "
        "and the step size that SPG accepts."
    ),
    "smoothing_rate": (
        "The least squared norm of the gradient mapping in the first k steps of SPG from W = "
        "0, at two weights μ of the constraint; dotted: a fall like 1/k."
    ),
    "sparse": (
        "Best SHD over λ₁ for each method, to the true graph (filled) and to its transpose "
        "(hollow), beside what the paper prints; mean over graphs."
    ),
    "scalability": (
        "CPU time and SHD against the number of variables. SPG-AHOC (λ₁ = 1), daglock and "
        "sortnregress as they come out, the others after the cut at 0.3. Dotted: Table 3."
    ),
    "sachs": (
        "SHD to the graph with 17 edges along λ₁, on all 7466 rows and on the 853 of one "
        "experiment. Points are set apart sideways where they coincide."
    ),
    "sachs_class": (
        "Distance between equivalence classes on 853 rows; filled: measured here, hollow: as "
        "published. Best over λ₁ for the methods that have it."
    ),
    "near_cyclic": (
        "Runs on a positive cycle with ρ(W∘W) = 0.999996: the constraint of each method, the "
        "spectral radius and the norm of W along the way."
    ),
    "near_cyclic_lagrangian": (
        "The same runs: the augmented Lagrangian and the weight ρ of h²/2, for the methods "
        "that have them."
    ),
    "near_cyclic_ends": (
        "h at the end of every run, on three kinds of data; one point for each seed."
    ),
    "delta": ("SPG-AHOC against the width δ: SHD, non-zeros and time, mean over graphs."),
    "stabiliser": (
        "‖W‖_F in the first outer loop of SPG-AHOC for several λ₁ (left and middle, one "
        "graph), and its largest value against λ₁ on all graphs (right)."
    ),
    "limits": (
        "SPG-AHOC along λ₁: share of the true edges that it has, and its number of non-zeros, "
        "before and after the cut. A run that the limit of time ended is drawn where it stood."
    ),
    "identification_portrait": (
        "Two variables, 0 → 1: the weights of both directions from several starts (left), and "
        "the size of the wrong one along the way (right)."
    ),
    "identification": (
        "Each line is a run, the mark the step K from which on its support does not change."
    ),
    "identification_assumptions": (
        "The assumptions of the recovery theorem on the data sets of the experiments: γ (left) "
        "and the λ₁ that the proof needs over the one that beta-min allows (right)."
    ),
    "beyond": (
        "Time (left) and error (middle) of one evaluation of h and its gradient on sparse "
        "matrices with a few short cycles, and time of whole runs (right)."
    ),
}
