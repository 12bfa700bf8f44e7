// What every part uses: the data, elements, numbers, the tooltip. Names of variables reach the
// page through textContent and setAttribute only, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const names = data.names;
const edges = data.edges;
const d = names.length;
const nEdges = edges.source.length;
const hasBootstrap = data.bootstrap !== null;
const assessed = data.assessed;

const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "text") element.textContent = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A name on one line. An isolated <bdi> keeps marks of writing direction inside the name.
function shown(v) {
  const line = names[v].replace(/[\r\n\u2028\u2029]+/g, "↵").replace(/[\u0000-\u001f\u007f]/g, " ");
  return line.trim() === "" ? "(no name)" : line;
}
const bdi = (v) => html("bdi", { text: shown(v), class: "name" });

function fixed(x, digits) {
  return (x < 0 ? "−" : "") + Math.abs(x).toFixed(digits);
}

// About three significant digits, with a real minus sign.
function number(x) {
  if (x === null || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = size.toExponential(2).split("e");
    return `${x < 0 ? "−" : ""}${mantissa}·10${superscript(Number(exponent))}`;
  }
  return fixed(x, Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(size)))));
}

function superscript(n) {
  return [...String(n)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
}

const signed = (x) => (x > 0 ? "+" : "") + number(x);
const percent = (x) => `${Math.round(100 * x)} %`;
const sure = (x) => `${Math.floor(100 * x + 1e-9)} %`; // what is below a bound stays below it
const count = (n, word, plural) => `${n.toLocaleString("en")} ${n === 1 ? word : plural || word + "s"}`;
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const signOf = (x) => (x > 0 ? "positive" : x < 0 ? "negative" : "zero");

// Where an end is a category, and of curves, the weight is a strength, from 0 to 1: no sign, no unit.
const isStrength = (e) => edges.strength[e];
const allStrengths = nEdges > 0 && edges.source.every((_, e) => isStrength(e));
const anyStrengths = edges.source.some((_, e) => isStrength(e));
const signOfEdge = (e) => (isStrength(e) ? "zero" : signOf(edges.weight[e]));
const sizeOf = (e) => (isStrength(e) ? number(edges.standardised[e]) : signed(edges.standardised[e]));
const weightOf = (e) => (isStrength(e) ? "" : signed(edges.weight[e]));

// What a column is, with its levels; nothing where it is a plain number.
function kindOf(v) {
  const levels = data.levels[v];
  if (data.kinds[v] === "continuous") return "";
  if (levels === null) return data.kinds[v];
  const more = levels.length > 12 ? ` and ${levels.length - 12} more` : "";
  return `${data.kinds[v]}: ${levels.slice(0, 12).join(", ")}${more}`;
}

const announce = (text) => { byId("announce").textContent = text; };

// Lines of the tooltip are strings or nodes; it stays inside the window.
const tooltip = {
  show(event, ...lines) {
    const box = byId("tooltip");
    box.replaceChildren(...lines.map((line) => html("div", {}, line)));
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = clamp(event.clientX + 14, 4, window.innerWidth - width - 4);
    const above = event.clientY - height - 12;
    const top = above >= 4 ? above : Math.min(event.clientY + 18, window.innerHeight - height - 4);
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
  },
  hide() { byId("tooltip").hidden = true; },
};

// What is claimed of an arrow, as a sign and in words.
const SIGNS = { directed: "→", leaning: "⇢", open: "—" };
const CLAIMS = { directed: "reliable", leaning: "leaning", open: "open" };
const SAID = {knowledge: "told", name: "by its name"};
const claimOf = (e) => SAID[edges.because[e]] ?? CLAIMS[edges.claim[e]];

// What a person should know of an edge, as lines.
function edgeTitle(e) {
  return html("strong", {}, bdi(edges.source[e]), ` ${SIGNS[edges.claim[e]]} `, bdi(edges.target[e]));
}

function edgeLines(e) {
  const lines = [edgeTitle(e)];
  if (isStrength(e)) lines.push(`strength ${sizeOf(e)}, between 0 and 1`);
  else lines.push(`weight ${weightOf(e)}`, `standardised ${sizeOf(e)}`);
  if (assessed) {
    lines.push(`linked: ${sure(edges.link[e])}`);
    lines.push(`direction: ${sure(edges.direction[e])} this way`);
    lines.push(`arrow, ${claimOf(e)}: ${sure(edges.arrow[e])}`);
  }
  if (edges.claim[e] !== "directed") {
    lines.push(html("span", { class: "soft" }, isStrength(e) ? "strength is for " : "weights are for ", bdi(edges.source[e]), " → ", bdi(edges.target[e])));
  }
  return lines;
}
