// Who points at whom, and total effects: one walk along the topological order for each question.

const outgoing = Array.from({ length: d }, () => []);
const incoming = Array.from({ length: d }, () => []);
for (let e = 0; e < nEdges; e++) {
  outgoing[edges.source[e]].push(e);
  incoming[edges.target[e]].push(e);
}
const rank = new Array(d);
data.order.forEach((v, k) => { rank[v] = k; });

// Only a direction that is claimed makes a parent or a child.
const parents = (v) => incoming[v].filter((e) => edges.claim[e] === "directed");
const children = (v) => outgoing[v].filter((e) => edges.claim[e] === "directed");
const claimedAs = (v, claim) => [...incoming[v], ...outgoing[v]].filter((e) => edges.claim[e] === claim);
const describe = (v) => `${count(parents(v).length, "parent")}, ${count(children(v).length, "child", "children")}`
  + (claimedAs(v, "leaning").length ? `, ${claimedAs(v, "leaning").length} leaning` : "")
  + (claimedAs(v, "open").length ? `, ${claimedAs(v, "open").length} open` : "");
const otherEnd = (e, v) => (edges.source[e] === v ? edges.target[e] : edges.source[e]);

// Row v of (I − W)⁻¹: by how much each descendant changes when v is set one higher.
function effectsFrom(v) {
  const total = new Float64Array(d);
  total[v] = 1;
  for (let k = rank[v]; k < d; k++) {
    const i = data.order[k];
    if (total[i] !== 0) for (const e of outgoing[i]) total[edges.target[e]] += edges.weight[e] * total[i];
  }
  return ranked(v, total, (j) => data.deviation[v] / data.deviation[j]);
}

// Column v of (I − W)⁻¹: what one more of each ancestor does to v.
function effectsOn(v) {
  const total = new Float64Array(d);
  total[v] = 1;
  for (let k = rank[v]; k >= 0; k--) {
    const j = data.order[k];
    if (total[j] !== 0) for (const e of incoming[j]) total[edges.source[e]] += edges.weight[e] * total[j];
  }
  return ranked(v, total, (i) => data.deviation[i] / data.deviation[v]);
}

function ranked(v, total, scale) {
  const list = [];
  for (let u = 0; u < d; u++) {
    if (u !== v && total[u] !== 0) list.push({ node: u, effect: total[u], standardised: total[u] * scale(u) });
  }
  return list.sort((a, b) => Math.abs(b.standardised) - Math.abs(a.standardised) || a.node - b.node);
}
