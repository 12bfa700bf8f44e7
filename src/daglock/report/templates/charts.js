// Line charts of the optimisation.

const CHART = { width: 370, height: 224, left: 58, right: 12, top: 28, bottom: 44 };

function niceTicks(low, high, wanted) {
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= wanted) || 10 * power;
  const ticks = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9 * span; t += step) ticks.push(Number(t.toPrecision(12)));
  return ticks;
}

function tickText(t, ticks) {
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(t) || 1;
  if (Math.abs(t) >= 1e6) return number(t);
  return fixed(t, clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 6));
}

// points: [{x, y, lines}]; xTicks: [[x, text]]; mark: {x, text} draws an upright line.
function lineChart({ title, points, xTitle, xTicks, mark, whole }) {
  const { width, height, left, right, top, bottom } = CHART;
  const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
  const x0 = Math.min(...xs), x1 = Math.max(...xs);
  let y0 = Math.min(...ys), y1 = Math.max(...ys);
  const flat = y1 - y0 <= 1e-9 * Math.abs(y1);  // nothing but rounding
  const pad = (flat ? Math.abs(y1) * 0.01 || 1 : y1 - y0) * 0.08;
  [y0, y1] = whole ? [0, y1 + pad] : [y0 - pad, y1 + pad];
  const px = (x) => (x1 > x0 ? left + (x - x0) / (x1 - x0) * (width - left - right) : (left + width - right) / 2);
  const py = (y) => height - bottom - (y - y0) / (y1 - y0) * (height - top - bottom);
  const root = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: from ${number(ys[0])} to ${number(ys[ys.length - 1])} in ${count(points.length, "step")}` });
  root.append(svg("text", { class: "chart-title", x: 2, y: 14, text: title }));
  const ticks = niceTicks(y0, y1, 5).filter((t) => !whole || Number.isInteger(t));
  for (const t of ticks) {
    root.append(svg("line", { class: "rule", x1: left, x2: width - right, y1: py(t), y2: py(t) }));
    root.append(svg("text", { class: "tick", x: left - 8, y: py(t) + 4, "text-anchor": "end", text: tickText(t, ticks) }));
  }
  for (const [x, text] of xTicks) root.append(svg("text", { class: "tick", x: px(x), y: height - bottom + 18, "text-anchor": "middle", text }));
  root.append(svg("text", { class: "tick", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", text: xTitle }));
  if (mark) {
    const at = px(mark.x), late = at > (left + width) / 2;
    // the words stand where the curve is not
    const side = points.filter((p) => (late ? p.x <= mark.x : p.x >= mark.x)).slice(late ? -4 : 0, late ? undefined : 4);
    const high = side.reduce((sum, p) => sum + py(p.y), 0) / side.length < (top + height - bottom) / 2;
    root.append(svg("line", { class: "mark", x1: at, x2: at, y1: top, y2: height - bottom }));
    root.append(svg("text", { class: "mark-text", x: at + (late ? -6 : 6), y: high ? height - bottom - 10 : top + 10, "text-anchor": late ? "end" : "start", text: mark.text }));
  }
  root.append(svg("polyline", { class: "curve", points: points.map((p) => `${round(px(p.x))},${round(py(p.y))}`).join(" ") }));
  for (const p of points) root.append(svg("circle", { class: "point", cx: round(px(p.x)), cy: round(py(p.y)), r: 3 }));
  root.addEventListener("pointermove", (event) => {
    const box = root.getBoundingClientRect();
    const at = (event.clientX - box.left) * width / box.width;
    const nearest = points.reduce((a, b) => (Math.abs(px(b.x) - at) < Math.abs(px(a.x) - at) ? b : a));
    tooltip.show(event, ...nearest.lines);
  });
  root.addEventListener("pointerleave", () => tooltip.hide());
  return html("figure", {}, root);
}

// At most about six labels below an axis of whole steps.
function stepTicks(n, text) {
  const every = Math.max(1, Math.ceil(n / 6));
  const ticks = [];
  for (let k = 0; k < n; k += every) ticks.push([k, text(k)]);
  return ticks;
}

function startCharts() {
  const charts = [];
  const stages = data.trace.continuous, scores = data.trace.search;
  if (stages) {
    const stage = (k) => `stage ${k + 1}, μ = ${number(stages.mu[k])}`;
    const xTicks = stepTicks(stages.mu.length, (k) => number(stages.mu[k]));
    const mark = { x: stages.identification, text: stages.identification < stages.mu.length - 1 ? "support fixed from here" : "support changed up to here" };
    const points = (values, word) => values.map((y, k) => ({ x: k, y, lines: [stage(k), `${word} ${number(y)}`] })).filter((p) => p.y !== null);
    charts.push(lineChart({ title: "Continuous stage: objective", points: points(stages.objective, "objective"), xTitle: "price μ of a cycle, stage by stage", xTicks, mark }));
    charts.push(lineChart({ title: "Continuous stage: non-zero weights", points: points(stages.n_nonzero, "non-zero weights:"), xTitle: "price μ of a cycle, stage by stage", xTicks, mark, whole: true }));
  }
  if (scores.length > 1) {
    const step = (k) => (k === 0 ? "after the first descent" : k === scores.length - 1 ? "at the end" : `after batch ${k} of restarts`);
    charts.push(lineChart({ title: "Order search: best score (lower is better)", points: scores.map((y, k) => ({ x: k, y, lines: [step(k), `score ${fixed(y, 6)}`] })), xTitle: "batches of restarts", xTicks: stepTicks(scores.length, String) }));
  }
  byId("charts").replaceChildren(...charts);
}
