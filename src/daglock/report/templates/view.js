// The window onto the graph: zoom and pan by wheel, fingers, buttons and keys.

const view = { x: 0, y: 0, k: 1, touched: false };
const picture = byId("picture");

function viewSize() {
  return [picture.clientWidth || 800, picture.clientHeight || 500];
}

function fitScale() {
  const [width, height] = viewSize();
  return Math.min((width - 40) / Math.max(1, scene.width), (height - 40) / Math.max(1, scene.height), 1.4);
}

function applyView() {
  byId("world").setAttribute("transform", `translate(${round(view.x)} ${round(view.y)}) scale(${view.k.toFixed(4)})`);
  // letters fade out before they are too small to read, lines never get thinner than a hair
  const letters = 13 * view.k;
  picture.style.setProperty("--letters", clamp((letters - 4.5) / 3, 0, 1).toFixed(2));
  picture.style.setProperty("--thick", 2 ** Math.round(Math.log2(Math.max(1, 0.5 / view.k))));
  picture.classList.toggle("far", letters <= 4.5);
  picture.classList.toggle("farther", view.k < 0.15);
}

function fitView() {
  const [width, height] = viewSize();
  view.k = fitScale();
  view.x = (width - view.k * scene.width) / 2;
  view.y = (height - view.k * scene.height) / 2;
  view.touched = false;
  applyView();
}

function zoomAt(factor, px, py) {
  const low = Math.min(fitScale() / 2, 0.5);
  const k = clamp(view.k * factor, low, 4);
  view.x = px - (px - view.x) * k / view.k;
  view.y = py - (py - view.y) * k / view.k;
  view.k = k;
  view.touched = true;
  applyView();
}

function zoomMiddle(factor) {
  const [width, height] = viewSize();
  zoomAt(factor, width / 2, height / 2);
}

function panBy(dx, dy) {
  view.x += dx;
  view.y += dy;
  view.touched = true;
  applyView();
}

function centreOn(v, readable) {
  const [width, height] = viewSize();
  if (readable && view.k < 0.7) view.k = 0.9;
  view.x = width / 2 - view.k * scene.x[v];
  view.y = height / 2 - view.k * scene.y[v];
  view.touched = true;
  applyView();
}

// Move as little as needed to have a node inside the window.
function reveal(v) {
  const [width, height] = viewSize();
  const px = view.x + view.k * scene.x[v], py = view.y + view.k * scene.y[v];
  const mx = Math.min(60, width / 4), my = Math.min(40, height / 4);
  const dx = clamp(px, mx, width - mx) - px, dy = clamp(py, my, height - my) - py;
  if (dx || dy) panBy(dx, dy);
}

function toWorld(event) {
  const box = picture.getBoundingClientRect();
  return [(event.clientX - box.left - view.x) / view.k, (event.clientY - box.top - view.y) / view.k];
}

const pointers = new Map();
let gesture = null; // {kind: "pan" | "drag" | "pinch", ...}
let swallowClick = false;

function startGesture(event) {
  if (event.button > 0) return;
  pointers.set(event.pointerId, event);
  swallowClick = false;
  if (pointers.size === 2) {
    gesture = { kind: "pinch", apart: apart() };
    return;
  }
  const box = event.target.closest(".node");
  const v = box ? Number(box.dataset.node) : null;
  const [wx, wy] = toWorld(event);
  gesture = { kind: box ? "drag" : "pan", v, x: event.clientX, y: event.clientY, moved: false, id: event.pointerId };
  if (box) Object.assign(gesture, { dx: scene.x[v] - wx, dy: scene.y[v] - wy });
}

function apart() {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}

function moveGesture(event) {
  if (!pointers.has(event.pointerId) || !gesture) return;
  pointers.set(event.pointerId, event);
  if (gesture.kind === "pinch") {
    if (pointers.size < 2) return;
    const [a, b] = [...pointers.values()], now = apart(), box = picture.getBoundingClientRect();
    zoomAt(now / (gesture.apart || 1), (a.clientX + b.clientX) / 2 - box.left, (a.clientY + b.clientY) / 2 - box.top);
    gesture.apart = now;
    swallowClick = true;
    return;
  }
  const dx = event.clientX - gesture.x, dy = event.clientY - gesture.y;
  if (!gesture.moved && Math.hypot(dx, dy) < 4) return;
  if (!gesture.moved) {
    gesture.moved = swallowClick = true;
    picture.setPointerCapture(gesture.id);
    picture.classList.add(gesture.kind === "drag" ? "dragging" : "panning");
    tooltip.hide();
  }
  if (gesture.kind === "drag") {
    const [wx, wy] = toWorld(event);
    moveNode(gesture.v, wx + gesture.dx, wy + gesture.dy);
  } else {
    panBy(dx, dy);
    gesture.x = event.clientX;
    gesture.y = event.clientY;
  }
}

function endGesture(event) {
  pointers.delete(event.pointerId);
  picture.classList.remove("dragging", "panning");
  if (!pointers.size) gesture = null;
}

// The wheel belongs to the page until the graph has the focus, so that nobody gets stuck in it.
let hintTimer = 0;
function onWheel(event) {
  if (!event.ctrlKey && !event.metaKey && !picture.contains(document.activeElement)) {
    byId("wheel-hint").hidden = false;
    clearTimeout(hintTimer);
    hintTimer = setTimeout(() => { byId("wheel-hint").hidden = true; }, 1200);
    return;
  }
  event.preventDefault();
  const box = picture.getBoundingClientRect();
  const lines = event.deltaMode === 1 ? 16 : 1;
  zoomAt(2 ** (-event.deltaY * lines / 300), event.clientX - box.left, event.clientY - box.top);
}

function onViewKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const pans = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (event.key === "+" || event.key === "=") zoomMiddle(1.3);
  else if (event.key === "-") zoomMiddle(1 / 1.3);
  else if (event.key === "0") fitView();
  else if (pans[event.key] && event.target === picture) panBy(...pans[event.key]);
  else return;
  event.preventDefault();
}

function startView() {
  picture.addEventListener("pointerdown", startGesture);
  picture.addEventListener("pointermove", moveGesture);
  picture.addEventListener("pointerup", endGesture);
  picture.addEventListener("pointercancel", endGesture);
  picture.addEventListener("wheel", onWheel, { passive: false });
  picture.addEventListener("keydown", onViewKey);
  byId("zoom-in").addEventListener("click", () => zoomMiddle(1.3));
  byId("zoom-out").addEventListener("click", () => zoomMiddle(1 / 1.3));
  byId("zoom-fit").addEventListener("click", fitView);
  new ResizeObserver(() => { if (!view.touched) fitView(); }).observe(picture);
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details")) part.open = true;
    fitView();
  });
}
