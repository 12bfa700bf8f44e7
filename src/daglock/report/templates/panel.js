// The panel beside the picture: what is known of one variable.

const SHORT = 8;

function showPanel(v) {
  const panel = byId("panel");
  panel.hidden = v === null;
  if (v === null) { panel.replaceChildren(); return; }
  const close = html("button", { type: "button", class: "close", "aria-label": "Close", text: "×", onclick: () => { choose(null); setFocus(v, true); } });
  if (data.aside.includes(v)) {
    const said = "Set aside: other columns determine it. It was not searched, and nothing is claimed of its causes and effects.";
    panel.replaceChildren(close, html("h3", {}, bdi(v)), ...kindLine(v), html("p", { text: said }));
    return;
  }
  const into = parents(v), out = children(v), leaning = claimedAs(v, "leaning"), open = claimedAs(v, "open");
  const bySize = (a, b) => Math.abs(edges.standardised[b]) - Math.abs(edges.standardised[a]);
  const edgeRows = (list, sign) => list.sort(bySize).map((e) => edgeRow(e, v, sign && sign(e)));
  const towards = (e) => (edges.source[e] === v ? "⇢" : "⇠");
  panel.replaceChildren(
    close,
    html("h3", {}, bdi(v)),
    ...kindLine(v),
    html("p", { class: "facts", text: facts(v, incoming[v].length) }),
    html("div", { class: "soft columns" }, html("span"), ...heads()),
    part("parents", "Parents", edgeRows(into), "none"),
    part("children", "Children", edgeRows(out), "none"),
    ...(leaning.length ? [part("leaning", "Leaning one way", edgeRows(leaning, towards), "none", "⇢ probably an effect, ⇠ probably a cause.")] : []),
    ...(open.length ? [part("neighbours", "Direction open", edgeRows(open), "none", "Either end may be the cause.")] : []),
    ...totals(v),
  );
  panel.scrollTop = 0;
  if (window.matchMedia("(max-width: 860px)").matches) panel.scrollIntoView({ block: "nearest" }); // it is below the picture
}

const kindLine = (v) => (kindOf(v) ? [html("p", { class: "facts kind", text: kindOf(v) })] : []);

// What the numbers beside the links are.
function heads() {
  if (allStrengths) return [html("span", { text: "strength", title: "how strongly the two depend on each other given the other causes, 0 to 1" })];
  const raw = html("span", { text: "raw", title: "on the scale of the data" });
  if (!anyStrengths) return [html("span", { text: "standardised", title: "in standard deviations" }), raw];
  return [html("span", { text: "size", title: "with a sign: in standard deviations; without: strength, from 0 to 1, where one end is a category" }), raw];
}

// Along paths weights multiply only where all of them are coefficients of lines.
function totals(v) {
  if (!data.linear) {
    const said = "Total effects are not shown: the table has categories, and an effect is one of each level. daglock effect tells of each; in Python, model.effect(cause, effect).";
    return [html("p", { class: "soft", text: said })];
  }
  const lines = (list) => list.map((t) => row(t.node, t.standardised, t.effect));
  const unsure = edges.claim.some((claim) => claim !== "directed");
  return [
    part("effects-from", "Total effects from it", lines(effectsFrom(v)), "It has no descendants."),
    part("effects-on", "Total effects on it", lines(effectsOn(v)), "It has no ancestors."),
    ...(unsure ? [html("p", { class: "soft", text: "Total effects are those of the graph with the directions that fit best. Where these are leaning or open, the effects are in doubt with them." })] : []),
  ];
}

function facts(v, hasCauses) {
  const isNumber = data.deviation[v] !== null, said = [];
  if (isNumber) said.push(`standard deviation ${number(data.deviation[v])}`);
  if (hasCauses && data.explained[v] > 0) {
    said.push(isNumber ? `${percent(data.explained[v])} of its variance explained by its parents` : `strength of its parents together: ${number(Math.sqrt(data.explained[v]))}`);
  }
  said.push(`${rank[v] + 1}${["th", "st", "nd", "rd"][(rank[v] + 1) % 100 > 10 && (rank[v] + 1) % 100 < 14 ? 0 : (rank[v] + 1) % 10] || "th"} in the order`);
  return said.join(" · ");
}

const goTo = (u, sign) => html("button", { type: "button", class: "link", title: shown(u), onclick: () => { choose(u); byId("panel").focus({ preventScroll: true }); } }, sign ? `${sign} ` : "", bdi(u));

function edgeRow(e, v, sign) {
  if (!isStrength(e)) return row(otherEnd(e, v), edges.standardised[e], edges.weight[e], sign);
  return html("li", { class: "effect" }, goTo(otherEnd(e, v), sign),
    html("span", { class: "value", text: sizeOf(e), title: String(edges.standardised[e]) }), html("span", { class: "soft raw" }));
}

function row(u, standardised, raw, sign) {
  return html("li", { class: "effect" }, goTo(u, sign),
    html("span", { class: `value ${signOf(standardised)}`, text: signed(standardised), title: String(standardised) }),
    html("span", { class: "soft raw", text: signed(raw), title: String(raw) }));
}

function part(key, title, rows, none, remark) {
  const list = html("ul", { "data-list": key }, ...rows.slice(0, SHORT));
  const children = [html("h4", {}, title, rows.length ? html("span", { class: "count", text: String(rows.length) }) : "")];
  if (remark) children.push(html("p", { class: "soft", text: remark }));
  children.push(rows.length ? list : html("p", { class: "soft", text: none }));
  if (rows.length > SHORT) {
    const more = html("button", { type: "button", class: "more", text: `Show all ${rows.length}`, onclick: () => { list.append(...rows.slice(SHORT)); more.remove(); } });
    children.push(more);
  }
  return html("section", { class: "part" }, ...children);
}
