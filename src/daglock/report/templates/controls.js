// Search for a node, and the filters of the view.

let matches = [];
let current = -1;

function findNodes(text) {
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === "") return [];
  const found = [];
  names.forEach((name, v) => {
    const at = shown(v).toLocaleLowerCase().indexOf(wanted);
    if (at >= 0) found.push({ v, at, length: name.length });
  });
  // the whole name first, then names that begin with it
  return found.sort((a, b) => Number(a.at > 0) - Number(b.at > 0) || a.length - b.length || rank[a.v] - rank[b.v]).map((m) => m.v);
}

function onSearch() {
  const text = byId("search").value;
  matches = findNodes(text);
  current = -1;
  for (const element of picture.querySelectorAll(".match")) element.classList.remove("match");
  for (const v of matches) if (boxes.has(v)) boxes.get(v).classList.add("match");
  picture.classList.toggle("searching", matches.length > 0);
  byId("search-count").textContent = text.trim() === "" ? "" : matches.length ? count(matches.length, "match", "matches") + (whole ? "" : ", Enter shows them") : "no match";
  if (matches.length && boxes.has(matches[0])) centreOn(matches[0], true);
}

function onSearchKey(event) {
  if (event.key === "Enter" && matches.length) {
    current = (current + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
    choose(matches[current]);
    picture.classList.remove("searching"); // what belongs to the chosen one stands out now
    for (const v of matches) if (boxes.has(v)) boxes.get(v).classList.add("match");
    if (whole) centreOn(matches[current], true);
    byId("search-count").textContent = `${current + 1} of ${matches.length}`;
    event.preventDefault();
  } else if (event.key === "Escape") {
    byId("search").value = "";
    onSearch();
    choose(null);
  }
}

function passes(e) {
  const least = Number(byId("weight-filter").value);
  if (Math.abs(edges.standardised[e] || 0) < least) return false;
  return !assessed || edges.link[e] >= Number(byId("link-filter").value);
}

function applyFilter() {
  let kept = 0;
  for (const [e, { line, hit }] of lines) {
    const stays = passes(e);
    kept += stays;
    line.classList.toggle("filtered", !stays);
    if (hit) hit.classList.toggle("filtered", !stays);
  }
  byId("weight-value").textContent = Number(byId("weight-filter").value).toFixed(2);
  byId("link-value").textContent = percent(Number(byId("link-filter").value));
  byId("filter-count").textContent = kept === lines.size ? "" : `${kept} of ${count(lines.size, "edge")} shown`;
}

function startControls() {
  const largest = edges.standardised.reduce((most, x) => Math.max(most, Math.abs(x || 0)), 0);
  byId("weight-filter").max = Math.max(0.01, Math.ceil(100 * largest) / 100);
  byId("link-field").hidden = !assessed;
  for (const item of document.querySelectorAll(".about-claims")) item.hidden = !assessed;
  for (const item of document.querySelectorAll(".about-signs")) item.hidden = allStrengths;
  for (const item of document.querySelectorAll(".about-strengths")) item.hidden = allStrengths || !anyStrengths;
  for (const item of document.querySelectorAll(".about-kinds")) item.hidden = !data.category.includes(true);
  byId("search").addEventListener("input", onSearch);
  byId("search").addEventListener("keydown", onSearchKey);
  byId("weight-filter").addEventListener("input", applyFilter);
  byId("link-filter").addEventListener("input", applyFilter);
  applyFilter();
}
