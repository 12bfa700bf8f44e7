// The weights as a matrix in topological order, drawn from the list of edges.

const LABELLED = 40; // up to so many variables the rows and columns carry their names

const heat = { cell: 0, left: 0, top: 0, size: 0 };

function heatLayout() {
  const canvas = byId("heat-canvas");
  const room = Math.min(canvas.parentElement.clientWidth, 640);
  ruler.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const labelled = d <= LABELLED;
  const margin = labelled ? Math.min(room / 4, 120, 14 + Math.max(...names.map((_, v) => ruler.measureText(shown(v)).width))) : 0;
  heat.left = heat.top = Math.ceil(margin);
  heat.cell = Math.min(30, (room - margin) / d);
  heat.size = heat.cell * d;
  const scale = window.devicePixelRatio || 1;
  const width = Math.ceil(heat.left + heat.size) + 1, height = Math.ceil(heat.top + heat.size) + 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, labelled };
}

function largestWeight() {
  return edges.standardised.reduce((most, x) => Math.max(most, Math.abs(x || 0)), 0) || 1;
}

function drawHeat() {
  const { context, labelled } = heatLayout();
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  context.fillStyle = colour("--panel");
  context.fillRect(heat.left, heat.top, heat.size, heat.size);
  if (heat.cell >= 8) drawGrid(context, colour("--line"));
  context.strokeStyle = colour("--strong-line");
  context.beginPath();
  context.moveTo(heat.left, heat.top);
  context.lineTo(heat.left + heat.size, heat.top + heat.size);
  context.stroke();
  const most = largestWeight(), side = Math.max(heat.cell, 2), inset = heat.cell >= 8 ? 1 : 0;
  for (let e = 0; e < nEdges; e++) {
    const x = heat.left + heat.cell * rank[edges.target[e]], y = heat.top + heat.cell * rank[edges.source[e]];
    context.fillStyle = colour(`--${signOfEdge(e)}`);
    context.globalAlpha = 0.15 + 0.85 * Math.sqrt(Math.abs(edges.standardised[e] || 0) / most);
    context.fillRect(x + inset, y + inset, side - inset, side - inset);
    context.globalAlpha = 1;
    if (edges.claim[e] !== "directed" && heat.cell >= 10) {
      context.fillStyle = colour("--panel");
      context.beginPath();
      context.arc(x + side / 2, y + side / 2, heat.cell / 7, 0, 7);
      context.fill();
    }
  }
  context.strokeRect(heat.left + 0.5, heat.top + 0.5, heat.size, heat.size);
  if (labelled) drawHeatLabels(context, colour("--text"));
  byId("heat-low").textContent = allStrengths ? "0" : fixed(-most, 2);
  byId("heat-high").textContent = `${allStrengths ? "" : "+"}${most.toFixed(2)}`;
  byId("heatmap").classList.toggle("unsigned", allStrengths);
}

function drawGrid(context, colour) {
  context.strokeStyle = colour;
  context.beginPath();
  for (let k = 1; k < d; k++) {
    const at = Math.round(k * heat.cell) + 0.5;
    context.moveTo(heat.left + at, heat.top);
    context.lineTo(heat.left + at, heat.top + heat.size);
    context.moveTo(heat.left, heat.top + at);
    context.lineTo(heat.left + heat.size, heat.top + at);
  }
  context.stroke();
}

function drawHeatLabels(context, colour) {
  const letters = Math.min(12, heat.cell + 1);
  context.fillStyle = colour;
  ruler.font = context.font = `${letters}px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = "middle";
  data.order.forEach((v, k) => {
    const text = fitted(v, heat.left - 10), at = heat.cell * (k + 0.5);
    context.textAlign = "right";
    context.fillText(text, heat.left - 6, heat.top + at);
    context.save();
    context.translate(heat.left + at, heat.top - 6);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(text, 0, 0);
    context.restore();
  });
}

// The edge under the pointer, or the nearest within a few pixels where cells are tiny.
function heatEdge(px, py) {
  const column = (px - heat.left) / heat.cell, line = (py - heat.top) / heat.cell;
  const reach = Math.max(0.5, 4 / heat.cell);
  let best = null, least = reach;
  for (let e = 0; e < nEdges; e++) {
    const away = Math.max(Math.abs(rank[edges.target[e]] + 0.5 - column), Math.abs(rank[edges.source[e]] + 0.5 - line));
    if (away <= least) { least = away; best = e; }
  }
  return best;
}

function onHeatHover(event) {
  const box = byId("heat-canvas").getBoundingClientRect();
  const px = event.clientX - box.left, py = event.clientY - box.top;
  const column = Math.floor((px - heat.left) / heat.cell), line = Math.floor((py - heat.top) / heat.cell);
  if (column < 0 || line < 0 || column >= d || line >= d) { tooltip.hide(); return; }
  const e = heatEdge(px, py);
  if (e !== null) tooltip.show(event, ...edgeLines(e));
  else if (column === line) tooltip.show(event, html("strong", {}, bdi(data.order[line])));
  else tooltip.show(event, html("span", {}, bdi(data.order[line]), " → ", bdi(data.order[column])), html("span", { class: "soft", text: "no edge: exactly zero" }));
}

function startHeat() {
  const canvas = byId("heat-canvas");
  canvas.setAttribute("aria-label", `Matrix of the weights of ${count(nEdges, "edge")} between ${count(d, "variable")}; the table of edges holds the same numbers.`);
  canvas.addEventListener("pointermove", onHeatHover);
  canvas.addEventListener("pointerleave", () => tooltip.hide());
  byId("heatmap").addEventListener("toggle", drawHeat); // what is closed has no width
  drawHeat();
  let width = window.innerWidth;
  window.addEventListener("resize", () => { if (window.innerWidth !== width) { width = window.innerWidth; drawHeat(); } });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawHeat);
  window.matchMedia("print").addEventListener("change", drawHeat);
}
