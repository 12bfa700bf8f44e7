// Where boxes and lines are. Boxes can be dragged; the bends of a long edge follow its ends.

const HEIGHT = 30;
const ARROW = 10;

// The scene: nodes with a place, edges between them. All of the graph, or what is near to a node
// where all of it would be too much to read.
let scene = null;
let whole = data.opened;
const canBeWhole = data.layout.x !== null;

function wholeScene() {
  const { w, tail, head, bends, width, height } = data.layout;
  // a graph that is tall and narrow gets flatter and broader, so that its letters stay large
  const [room, tall] = viewSize();
  const ratio = (room / tall) / (Math.max(1, width) / Math.max(1, height));
  const down = clamp(1 / ratio, 0.7, 1), across = clamp(ratio * down, 1, 1.7);
  const flatter = (at) => down * (at - HEIGHT / 2) + HEIGHT / 2;
  const x = data.layout.x.map((at) => across * at), y = data.layout.y.map(flatter);
  const lines = bends.map((flat) => {
    const points = [];
    for (let k = 0; k < flat.length; k += 2) points.push([across * flat[k], flatter(flat[k + 1])]);
    return points;
  });
  const [left, right] = extent([...x.map((at, v) => [at - w[v] / 2, at + w[v] / 2]), ...lines.flat().map(([at]) => [at - 4, at + 4])]);
  x.forEach((at, v) => { x[v] = at - left; });
  for (const point of lines.flat()) point[0] -= left;
  return {
    nodes: names.map((_, v) => v),
    edges: edges.source.map((_, e) => e),
    x: x.slice(), y: y.slice(), x0: x, y0: y, w, tail, head, bends: lines,
    width: right - left, height: flatter(height - HEIGHT / 2) + HEIGHT / 2,
  };
}

// From the least to the most of intervals.
const extent = (intervals) => intervals.reduce(([a, b], [low, high]) => [Math.min(a, low), Math.max(b, high)], [Infinity, -Infinity]);

// Two steps up and two steps down from a node, each row limited to what can be read.
function nearScene(centre) {
  const level = new Map([[centre, 0]]);
  for (const [direction, next] of [[-1, (v) => incoming[v].map((e) => edges.source[e])], [1, (v) => outgoing[v].map((e) => edges.target[e])]]) {
    let row = [centre];
    for (let step = 1; step <= 2; step++) {
      const found = [];
      for (const v of row) for (const u of next(v)) {
        if (!level.has(u) && found.length < (step === 1 ? 60 : 30)) { level.set(u, direction * step); found.push(u); }
      }
      row = found;
    }
  }
  const nodes = [...level.keys()].sort((a, b) => rank[a] - rank[b]);
  const inside = [];
  for (const v of nodes) for (const e of outgoing[v]) if (level.has(edges.target[e])) inside.push(e);
  return { ...placeRows(nodes, inside, level), centre };
}

// Rows by level. Inside a level edges still go down: nodes are staggered by their depth in it.
function placeRows(nodes, inside, level) {
  const w = data.layout.w;
  const result = { nodes, edges: inside, x: {}, y: {}, w, tail: {}, head: {}, bends: {} };
  const depth = new Map();
  for (const v of nodes) {
    const above = incoming[v].map((e) => edges.source[e]).filter((u) => level.has(u) && level.get(u) === level.get(v));
    depth.set(v, above.length ? Math.max(...above.map((u) => depth.get(u))) + 1 : 0);
  }
  const key = (v) => 100 * level.get(v) + depth.get(v);
  const rows = [...new Set(nodes.map(key))].sort((a, b) => a - b);
  const total = (row) => row.reduce((sum, v) => sum + w[v] + 22, -22);
  const lists = rows.map((k) => nodes.filter((v) => key(v) === k));
  result.width = Math.max(...lists.map(total));
  // from the row of the centre outwards, each row in the order of those that it is linked to
  const middle = rows.findIndex((k) => k >= 0);
  const outwards = [...rows.keys()].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle) || a - b);
  for (const k of outwards) {
    const row = lists[k];
    const over = (v) => {
      const linked = [...incoming[v], ...outgoing[v]].map((e) => result.x[otherEnd(e, v)]).filter((x) => x !== undefined);
      return linked.length ? linked.reduce((sum, x) => sum + x, 0) / linked.length : 0;
    };
    const place = new Map(row.map((v) => [v, over(v)]));
    row.sort((a, b) => place.get(a) - place.get(b) || rank[a] - rank[b]);
    // a row inside a level stands aside, so that lines to it do not run behind the row above
    let left = (result.width - total(row)) / 2 + (depth.get(row[0]) % 2 ? 70 : 0);
    for (const v of row) {
      result.x[v] = left + w[v] / 2;
      result.y[v] = HEIGHT / 2 + 110 * k;
      left += w[v] + 22;
    }
  }
  result.height = 110 * (rows.length - 1) + HEIGHT;
  result.x0 = { ...result.x };
  result.y0 = { ...result.y };
  for (const e of inside) result.bends[e] = [];
  for (const v of nodes) {
    spreadEnds(result, v, inside.filter((e) => edges.source[e] === v), result.tail);
    spreadEnds(result, v, inside.filter((e) => edges.target[e] === v), result.head);
  }
  return result;
}

// The ends of edges at a box, in the order of where they lead.
function spreadEnds(result, v, list, offset) {
  list.sort((a, b) => result.x[otherEnd(a, v)] - result.x[otherEnd(b, v)] || a - b);
  const step = Math.min(13, 0.66 * result.w[v] / Math.max(1, list.length - 1));
  list.forEach((e, k) => { offset[e] = step * (k - (list.length - 1) / 2); });
}

function edgePath(e) {
  const i = edges.source[e], j = edges.target[e];
  const { x, y, x0, y0, w } = scene;
  const tip = edges.claim[e] === "open" ? 0 : ARROW;
  if (y[j] - y[i] < HEIGHT + 20) return straightPath(i, j, tip);
  const points = [[x[i] + scene.tail[e], y[i] + HEIGHT / 2]];
  const span = y0[j] - y0[i];
  for (const [bx, by] of scene.bends[e]) {
    const t = (by - y0[i]) / span;
    const px = bx + (1 - t) * (x[i] - x0[i]) + t * (x[j] - x0[j]);
    const py = by + (1 - t) * (y[i] - y0[i]) + t * (y[j] - y0[j]);
    if (py > points[points.length - 1][1] + 1 && py < y[j] - HEIGHT / 2 - tip - 1) points.push([px, py]);
  }
  points.push([x[j] + scene.head[e], y[j] - HEIGHT / 2 - tip]);
  return smoothPath(points);
}

// From border to border of two boxes, for a box that was dragged beside or above its parent.
function straightPath(i, j, tip) {
  const { x, y, w } = scene;
  const dx = x[j] - x[i], dy = y[j] - y[i];
  const length = Math.hypot(dx, dy) || 1;
  const border = (v) => Math.min(dx ? (w[v] / 2) / Math.abs(dx) : Infinity, dy ? (HEIGHT / 2) / Math.abs(dy) : Infinity, 0.49);
  const a = border(i), b = 1 - border(j) - tip / length;
  return `M${round(x[i] + a * dx)} ${round(y[i] + a * dy)}L${round(x[i] + b * dx)} ${round(y[i] + b * dy)}`;
}

// Cubic curves with x a monotone function of y: smooth, and never outside the bends.
function smoothPath(points) {
  const slopes = [];
  for (let k = 1; k < points.length; k++) slopes.push((points[k][0] - points[k - 1][0]) / (points[k][1] - points[k - 1][1]));
  const tangents = points.map((_, k) => {
    if (k === 0 || k === slopes.length) return clamp(slopes[Math.max(0, k - 1)] / 2, -0.6, 0.6);
    const product = slopes[k - 1] * slopes[k];
    return product > 0 ? 2 * product / (slopes[k - 1] + slopes[k]) : 0;
  });
  let path = `M${round(points[0][0])} ${round(points[0][1])}`;
  for (let k = 1; k < points.length; k++) {
    const [ax, ay] = points[k - 1], [bx, by] = points[k];
    const third = (by - ay) / 3;
    path += `C${round(ax + tangents[k - 1] * third)} ${round(ay + third)} ${round(bx - tangents[k] * third)} ${round(by - third)} ${round(bx)} ${round(by)}`;
  }
  return path;
}

const round = (x) => Math.round(10 * x) / 10;
