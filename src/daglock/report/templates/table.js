// The table of edges: sorted, searched, and as CSV.

const FIRST_ROWS = 100;
const columns = [
  { key: "source", title: "Source", text: (e) => shown(edges.source[e]), name: (e) => edges.source[e] },
  { key: "target", title: "Target", text: (e) => shown(edges.target[e]), name: (e) => edges.target[e] },
  ...(allStrengths ? [] : [{ key: "weight", title: "Weight", value: (e) => edges.weight[e], show: weightOf }]),
  { key: "standardised", title: allStrengths ? "Strength" : anyStrengths ? "Standardised or strength" : "Standardised", value: (e) => edges.standardised[e], show: sizeOf, sign: true },
  ...(assessed ? [
    { key: "link", title: "Link", value: (e) => edges.link[e], show: (e) => sure(edges.link[e]), hint: "How sure it is that the two are linked" },
    { key: "direction", title: "Direction", value: (e) => edges.direction[e], show: (e) => sure(edges.direction[e]), hint: "How sure it is that the source is the cause, if they are linked" },
    { key: "arrow", title: "Arrow", value: (e) => edges.arrow[e], show: (e) => sure(edges.arrow[e]), hint: "Both together: link × direction" },
    { key: "claim", title: "Claim", text: claimOf },
  ] : []),
];
const sorting = { key: assessed ? "arrow" : "standardised", down: true };
let allRows = false;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function sortedEdges() {
  const wanted = byId("edge-search").value.trim().toLocaleLowerCase();
  const list = edges.source.map((_, e) => e).filter((e) => wanted === ""
    || shown(edges.source[e]).toLocaleLowerCase().includes(wanted) || shown(edges.target[e]).toLocaleLowerCase().includes(wanted));
  const column = columns.find((c) => c.key === sorting.key);
  // weights by their size: the strongest first, whatever the sign
  const compare = column.value
    ? (a, b) => Math.abs(column.value(a)) - Math.abs(column.value(b))
    : (a, b) => collator.compare(column.text(a), column.text(b));
  return list.sort((a, b) => (sorting.down ? -1 : 1) * compare(a, b) || a - b);
}

function drawTable() {
  const list = sortedEdges();
  const visible = allRows ? list : list.slice(0, FIRST_ROWS);
  byId("edge-table").tBodies[0].replaceChildren(...visible.map(tableRow));
  byId("edge-count").textContent = list.length === nEdges ? count(nEdges, "edge") : `${list.length} of ${count(nEdges, "edge")}`;
  byId("edge-more").hidden = visible.length === list.length;
  byId("edge-more").textContent = `Show all ${list.length.toLocaleString("en")}`;
  for (const head of byId("edge-table").tHead.querySelectorAll("th")) {
    head.setAttribute("aria-sort", head.dataset.key === sorting.key ? (sorting.down ? "descending" : "ascending") : "none");
  }
}

function tableRow(e) {
  return html("tr", { "data-edge": e }, ...columns.map((column) => {
    if (column.name) return html("td", {}, html("button", { type: "button", class: "link", title: "Show in the graph", onclick: () => showInGraph(column.name(e)) }, bdi(column.name(e))));
    if (column.value) return html("td", { class: "number" }, column.sign
      ? html("span", { class: `value ${signOfEdge(e)}`, text: column.show(e) }) : column.show(e));
    return html("td", { class: edges.claim[e] === "directed" ? "" : "soft", text: `${SIGNS[edges.claim[e]]} ${column.text(e)}` });
  }));
}

function showInGraph(v) {
  choose(v);
  if (whole) centreOn(v, true);
  byId("graph").scrollIntoView({ block: "start" });
}

function sortBy(key) {
  const column = columns.find((c) => c.key === key);
  if (sorting.key === key) sorting.down = !sorting.down;
  else Object.assign(sorting, { key, down: Boolean(column.value) });
  drawTable();
}

// A spreadsheet runs a cell that begins with one of = + - @; an apostrophe makes it text.
function cell(text) {
  const safe = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csv() {
  const head = ["source", "target", "weight", "standardised_weight", "identified_by", ...(assessed ? ["link", "direction", "arrow", "claim", "because"] : []), "source_kind", "target_kind"];
  const body = edges.source.map((i, e) => [cell(names[i]), cell(names[edges.target[e]]), edges.weight[e], edges.standardised[e], edges.identified_by[e],
    ...(assessed ? [edges.link[e], edges.direction[e], edges.arrow[e], edges.claim[e], edges.because[e]] : []), data.kinds[i], data.kinds[edges.target[e]]]);
  return [head, ...body].map((line) => line.join(",")).join("\r\n") + "\r\n";
}

async function copy(button) {
  const text = csv();
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = html("textarea", { class: "hidden" });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.textContent = done ? "Copied" : "Copying is not allowed here";
  announce(button.textContent);
  setTimeout(() => { button.textContent = "Copy CSV"; }, 2000);
}

function startTable() {
  byId("edge-table").tHead.replaceChildren(html("tr", {}, ...columns.map((column) =>
    html("th", { scope: "col", "data-key": column.key, class: column.value ? "number" : "", title: column.hint },
      html("button", { type: "button", text: column.title, onclick: () => sortBy(column.key) })))));
  byId("edge-search").addEventListener("input", drawTable);
  byId("edge-more").addEventListener("click", () => { allRows = true; drawTable(); });
  byId("csv-copy").addEventListener("click", () => copy(byId("csv-copy")));
  byId("csv-download").addEventListener("click", () => download("edges.csv", new Blob(["\ufeff", csv()], { type: "text/csv;charset=utf-8" })));
  drawTable();
}
