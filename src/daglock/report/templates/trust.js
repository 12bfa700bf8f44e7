// What each kind of evidence says of the direction of each link.

const FIRST_SAID = 12;
const CERTAINTY = { directed: 0, leaning: 1, open: 2 };
let allSaid = false;

function saidRow(e) {
  const name = (v) => html("button", { type: "button", class: "link", title: "Show in the graph", onclick: () => showInGraph(v) }, bdi(v));
  const said = edges.said[e];
  const words = said.length
    ? html("ul", { class: "said" }, ...said.map(([evidence, certainty, text]) => html("li", {}, html("span", { class: "soft", text: `${evidence}, ${sure(certainty)}: ` }), text)))
    : html("span", { class: "soft", text: "nothing speaks for one direction" });
  return html("tr", { "data-edge": e },
    html("td", { class: "pair" }, name(edges.source[e]), ` ${SIGNS[edges.claim[e]]} `, name(edges.target[e])),
    html("td", { class: "number", text: sure(edges.link[e]) }),
    html("td", { class: "number", text: sure(edges.direction[e]) }),
    html("td", { class: "number", text: sure(edges.arrow[e]) }),
    html("td", {}, words));
}

function drawSaid() {
  const wanted = byId("said-search").value.trim().toLocaleLowerCase();
  const list = edges.source.map((_, e) => e).filter((e) => wanted === ""
    || shown(edges.source[e]).toLocaleLowerCase().includes(wanted) || shown(edges.target[e]).toLocaleLowerCase().includes(wanted));
  list.sort((a, b) => CERTAINTY[edges.claim[a]] - CERTAINTY[edges.claim[b]] || edges.arrow[b] - edges.arrow[a] || a - b);
  const visible = allSaid ? list : list.slice(0, FIRST_SAID);
  byId("said-table").tBodies[0].replaceChildren(...visible.map(saidRow));
  byId("said-count").textContent = count(list.length, "link");
  byId("said-more").hidden = visible.length === list.length;
  byId("said-more").textContent = `Show all ${list.length.toLocaleString("en")}`;
}

function startTrust() {
  if (!byId("said-table")) return;
  byId("said-search").addEventListener("input", drawSaid);
  byId("said-more").addEventListener("click", () => { allSaid = true; drawSaid(); });
  drawSaid();
}
