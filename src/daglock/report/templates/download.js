// The picture as a file of its own: what is shown now, in light colours, with nothing left outside.

const LOOKS = ["fill", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font", "text-anchor"];

function download(name, blob) {
  const address = URL.createObjectURL(blob);
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const fileName = (ending) => `${(document.title.match(/[\p{L}\p{N}._-]+/gu) || ["graph"]).join("-").slice(0, 60)}.${ending}`;

// A copy whose looks are written on each element: a file has no style sheet.
function standalone() {
  const margin = 16, box = byId("world").getBBox(); // also of boxes that were dragged away
  const x = Math.floor(box.x) - margin, y = Math.floor(box.y) - margin;
  const width = Math.ceil(box.width) + 2 * margin + 1, height = Math.ceil(box.height) + 2 * margin + 1;
  const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `${x} ${y} ${width} ${height}` });
  const looks = plainly(() => [...picture.querySelectorAll("defs *, #world *")].map((element) => {
    const style = getComputedStyle(element);
    return LOOKS.map((name) => [name, style.getPropertyValue(name)]);
  }));
  const defs = picture.querySelector("defs").cloneNode(true), world = byId("world").cloneNode(true);
  root.append(defs, svg("rect", { x, y, width, height, fill: "#ffffff" }), world);
  world.removeAttribute("transform");
  [...defs.querySelectorAll("*"), ...world.querySelectorAll("*")].forEach((element, k) => {
    for (const [name, value] of looks[k]) element.style.setProperty(name, value);
  });
  for (const element of world.querySelectorAll(".hit, .filtered")) element.remove();
  for (const element of root.querySelectorAll("*")) {
    for (const name of ["class", "tabindex", "role", "aria-label", "aria-pressed", "data-edge", "data-node"]) element.removeAttribute(name);
  }
  return { text: new XMLSerializer().serializeToString(root), width, height };
}

// Look at the picture in light colours, at its own size, with nothing dimmed.
function plainly(look) {
  const page = document.documentElement, classes = picture.getAttribute("class") || "", style = picture.getAttribute("style") || "";
  page.classList.add("light");
  picture.setAttribute("class", "");
  picture.setAttribute("style", "");
  try {
    return look();
  } finally {
    page.classList.remove("light");
    picture.setAttribute("class", classes);
    picture.setAttribute("style", style);
  }
}

function downloadPng() {
  const { text, width, height } = standalone();
  const image = new Image();
  image.addEventListener("load", () => {
    const scale = Math.min(2, 12000 / Math.max(width, height));
    const canvas = html("canvas", { width: Math.round(scale * width), height: Math.round(scale * height) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(fileName("png"), blob), "image/png");
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

function startDownload() {
  byId("picture-svg").addEventListener("click", () => download(fileName("svg"), new Blob([standalone().text], { type: "image/svg+xml" })));
  byId("picture-png").addEventListener("click", downloadPng);
}
