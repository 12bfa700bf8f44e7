// The picture: boxes and lines, choosing a node, the keyboard.

const boxes = new Map(); // node -> <g>
const lines = new Map(); // edge -> {line, hit}
const HEADS = { directed: "head", leaning: "hollow", open: null };
let chosen = null;
let focused = null;
let hovered = null;

function drawScene() {
  boxes.clear();
  lines.clear();
  const few = scene.edges.length <= 2000; // a wider invisible line makes an edge easy to hit
  const drawn = [];
  for (const e of scene.edges) {
    const path = edgePath(e);
    const sign = signOfEdge(e);
    const doubtful = assessed && edges.link[e] < 0.5;
    const line = svg("path", { class: `edge ${sign}${doubtful ? " doubtful" : ""}`, d: path, "data-edge": e, "marker-end": HEADS[edges.claim[e]] ? `url(#${HEADS[edges.claim[e]]}-${sign})` : null });
    if (assessed) line.style.setProperty("--sure", (0.3 + 0.7 * edges.link[e]).toFixed(2));
    line.style.setProperty("--w", (1.2 + 3.8 * Math.min(1, Math.abs(edges.standardised[e] || 0))).toFixed(2));
    const hit = few ? svg("path", { class: "hit", d: path, "data-edge": e }) : null;
    lines.set(e, { line, hit });
    drawn.push(line);
    if (hit) drawn.push(hit);
  }
  byId("edge-layer").replaceChildren(...drawn);
  for (const v of scene.nodes) boxes.set(v, drawBox(v));
  byId("node-layer").replaceChildren(...boxes.values());
  focused = boxes.has(focused) ? focused : scene.nodes.length ? scene.nodes.reduce((a, b) => (rank[a] < rank[b] ? a : b)) : null;
  if (focused !== null) boxes.get(focused).setAttribute("tabindex", "0");
  applyFilter();
}

const ruler = document.createElement("canvas").getContext("2d");

function fitted(v, room) {
  const text = shown(v);
  if (ruler.measureText(text).width <= room) return text;
  const letters = Array.from(text.slice(0, 400));
  let low = 0, high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ruler.measureText(letters.slice(0, middle).join("") + "…").width <= room) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join("") + "…";
}

function drawBox(v) {
  const w = scene.w[v];
  ruler.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const aside = data.aside.includes(v);
  const kind = data.kinds[v] === "continuous" ? "" : `, ${data.kinds[v]}`;
  const label = `${shown(v)}${kind}: ${aside ? "set aside" : describe(v)}`;
  const look = `node${aside ? " aside" : ""}${v === scene.centre ? " centre" : ""}`;
  return svg("g", { class: look, "data-node": v, transform: place(v), tabindex: "-1", role: "button", "aria-label": label, "aria-pressed": v === chosen },
    svg("rect", { x: -w / 2, y: -HEIGHT / 2, width: w, height: HEIGHT, rx: data.category[v] ? 1 : 8 }),
    svg("text", { y: 4.5, text: fitted(v, w - 14) }));
}

const place = (v) => `translate(${round(scene.x[v])} ${round(scene.y[v])})`;

function moveNode(v, x, y) {
  scene.x[v] = x;
  scene.y[v] = y;
  boxes.get(v).setAttribute("transform", place(v));
  for (const e of [...incoming[v], ...outgoing[v]]) {
    const drawn = lines.get(e);
    if (!drawn) continue;
    const path = edgePath(e);
    drawn.line.setAttribute("d", path);
    if (drawn.hit) drawn.hit.setAttribute("d", path);
  }
}

// Choose a node (null: none): its edges and neighbours stand out and the panel tells of it.
function choose(v, { quiet = false } = {}) {
  if (v !== null && !whole) {
    scene = nearScene(v);
    chosen = v;
    drawScene();
    fitView();
  }
  for (const element of picture.querySelectorAll(".on, .chosen")) element.classList.remove("on", "chosen");
  for (const element of picture.querySelectorAll('[aria-pressed="true"]')) element.setAttribute("aria-pressed", "false");
  chosen = v;
  picture.classList.toggle("focus", v !== null);
  if (v !== null) {
    const near = [...incoming[v], ...outgoing[v]];
    for (const e of near) {
      if (lines.has(e)) lines.get(e).line.classList.add("on");
      if (boxes.has(otherEnd(e, v))) boxes.get(otherEnd(e, v)).classList.add("on");
    }
    boxes.get(v).classList.add("on", "chosen");
    boxes.get(v).setAttribute("aria-pressed", "true");
    setFocus(v);
  }
  showPanel(v);
  if (!view.touched) fitView(); // the panel takes or gives room
  if (v !== null) {
    reveal(v);
    if (!quiet) announce(`${shown(v)} chosen. ${boxes.get(v).getAttribute("aria-label")}.`);
  }
}

// One box is in the tab order; arrow keys hand that on.
function setFocus(v, move = false) {
  if (focused !== null && boxes.has(focused)) boxes.get(focused).setAttribute("tabindex", "-1");
  focused = v;
  boxes.get(v).setAttribute("tabindex", "0");
  if (move) {
    boxes.get(v).focus({ preventScroll: true });
    reveal(v);
  }
}

// The nearest box in a direction, straight ahead before aside.
function neighbourTowards(v, dx, dy) {
  let best = null, least = Infinity;
  for (const u of scene.nodes) {
    const ax = scene.x[u] - scene.x[v], ay = scene.y[u] - scene.y[v];
    const ahead = ax * dx + ay * dy, aside = Math.abs(ax * dy) + Math.abs(ay * dx);
    if (ahead > 1 && ahead + 2 * aside < least) { least = ahead + 2 * aside; best = u; }
  }
  return best;
}

function onNodeKey(event) {
  const box = event.target.closest(".node");
  if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
  const v = Number(box.dataset.node);
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.key === "Enter" || event.key === " ") choose(v);
  else if (steps[event.key]) {
    const next = neighbourTowards(v, ...steps[event.key]);
    if (next !== null) setFocus(next, true);
  } else return;
  event.preventDefault();
}

function onHover(event) {
  if (gesture && gesture.moved) return;
  const box = event.target.closest(".node"), line = event.target.closest("[data-edge]");
  if (hovered) hovered.classList.remove("hover");
  if (box) {
    const v = Number(box.dataset.node);
    tooltip.show(event, html("strong", {}, bdi(v)), ...[kindOf(v)].filter(Boolean), describe(v));
  } else if (line) {
    const e = Number(line.dataset.edge);
    hovered = lines.get(e).line;
    hovered.classList.add("hover");
    tooltip.show(event, ...edgeLines(e));
  } else tooltip.hide();
}

const busiest = () => names.reduce((best, _, v) => (outgoing[v].length + incoming[v].length > outgoing[best].length + incoming[best].length ? v : best), 0);

// From one variable and what is near to it to all of them, and back.
function showWhole(all) {
  whole = all;
  scene = whole ? wholeScene() : nearScene(chosen === null ? busiest() : chosen);
  drawScene();
  choose(chosen, { quiet: true });
  fitView();
  labelWhole();
}

function labelWhole() {
  byId("whole").hidden = !canBeWhole || data.opened;
  byId("whole").textContent = whole ? "One variable" : `All ${count(d, "variable")}`;
}

function startGraph() {
  labelWhole();
  byId("whole").addEventListener("click", () => showWhole(!whole));
  scene = whole ? wholeScene() : nearScene(busiest());
  picture.setAttribute("aria-label", `Graph of ${count(d, "variable")} and ${count(nEdges, "edge")}`);
  drawScene();
  fitView();
  picture.addEventListener("pointermove", onHover);
  picture.addEventListener("pointerleave", () => tooltip.hide());
  picture.addEventListener("keydown", onNodeKey);
  picture.addEventListener("focusin", (event) => {
    const box = event.target.closest(".node");
    if (box && box.matches(":focus-visible")) setFocus(Number(box.dataset.node), true);
  });
  picture.addEventListener("click", (event) => {
    if (swallowClick) { swallowClick = false; return; }
    const box = event.target.closest(".node");
    if (box) choose(Number(box.dataset.node) === chosen ? null : Number(box.dataset.node));
    else if (!event.target.closest("[data-edge]")) choose(null);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || chosen === null || event.target.matches("input")) return;
    const last = chosen, inside = event.target.closest(".stage") !== null;
    choose(null);
    setFocus(last, inside);
  });
}
