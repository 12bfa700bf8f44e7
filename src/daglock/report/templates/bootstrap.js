// How often each pair was joined in the replicates, as bars.

const FIRST_PAIRS = 30;
let allPairs = false;

function pairRows() {
  const { first, second, forward, backward, adjacent, consensus } = data.bootstrap;
  const key = (i, j) => i * d + j;
  const edgeOf = new Map(edges.source.map((i, e) => [key(i, edges.target[e]), e]));
  const agreed = new Set(consensus.source.map((i, k) => key(i, consensus.target[k])));
  return first.map((i, k) => {
    const j = second[k];
    // the direction of the graph, or of the consensus, is written from left to right
    const turned = edgeOf.has(key(j, i)) || (!edgeOf.has(key(i, j)) && agreed.has(key(j, i)));
    const [a, b, there, back] = turned ? [j, i, backward[k], forward[k]] : [i, j, forward[k], backward[k]];
    return { a, b, there, back, open: Math.max(0, adjacent[k] - there - back), adjacent: adjacent[k],
      inGraph: edgeOf.has(key(a, b)) || edgeOf.has(key(b, a)), agreed: agreed.has(key(a, b)) || agreed.has(key(b, a)) };
  });
}

function pairRow(pair) {
  const share = (value, kind) => {
    const bar = html("span", { class: `share ${kind}` });
    bar.style.width = `${100 * value}%`;
    return bar;
  };
  const label = `${percent(pair.there)} →, ${percent(pair.open)} undirected, ${percent(pair.back)} ←`;
  const name = (v) => html("button", { type: "button", class: "link", onclick: () => showInGraph(v) }, bdi(v));
  return html("tr", {},
    html("td", {}, name(pair.a)), html("td", {}, name(pair.b)),
    html("td", { class: "bar-cell" }, html("span", { class: "bar", role: "img", "aria-label": label, title: label }, share(pair.there, "there"), share(pair.open, "open"), share(pair.back, "back"))),
    html("td", { class: "number", text: percent(pair.there) }), html("td", { class: "number", text: percent(pair.open) }), html("td", { class: "number", text: percent(pair.back) }),
    html("td", { class: "tick", text: pair.inGraph ? "yes" : "–" }), html("td", { class: "tick", text: pair.agreed ? "yes" : "–" }));
}

function drawPairs() {
  const wanted = byId("pair-search").value.trim().toLocaleLowerCase();
  const only = byId("pair-graph").checked;
  const list = pairRows().filter((p) => (!only || p.inGraph)
    && (wanted === "" || shown(p.a).toLocaleLowerCase().includes(wanted) || shown(p.b).toLocaleLowerCase().includes(wanted)));
  const visible = allPairs ? list : list.slice(0, FIRST_PAIRS);
  byId("pair-table").tBodies[0].replaceChildren(...visible.map(pairRow));
  byId("pair-count").textContent = count(list.length, "pair");
  byId("pair-more").hidden = visible.length === list.length;
  byId("pair-more").textContent = `Show all ${list.length.toLocaleString("en")}`;
}

function startBootstrap() {
  if (!hasBootstrap) return;
  byId("pair-search").addEventListener("input", drawPairs);
  byId("pair-graph").addEventListener("change", drawPairs);
  byId("pair-more").addEventListener("click", () => { allPairs = true; drawPairs(); });
  drawPairs();
}
