(() => {
  // The essentials of an accessibility audit (WCAG 2.2 AA) as far as a script can see them.
  const problems = [];
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const named = (element) => `${element.tagName.toLowerCase()}${element.id ? "#" + element.id : ""} ${(element.textContent || "").trim().slice(0, 30)}`;
  const say = (what, element) => problems.push(element ? `${what}: ${named(element)}` : what);

  if (!document.documentElement.lang) say("no language");
  if (!document.title.trim()) say("no title");
  for (const landmark of ["header", "nav", "main", "footer"]) if (all(`body > ${landmark}`).length !== 1) say(`not one ${landmark}`);
  if (all("h1").length !== 1) say("not one h1");

  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) say("heading skips a level", heading);
    if (!heading.textContent.trim()) say("empty heading", heading);
    level = next;
  }

  const ids = new Set();
  for (const element of all("[id]")) {
    if (ids.has(element.id)) say("an id twice", element);
    ids.add(element.id);
  }
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"])
    for (const element of all(`[${name}]`))
      for (const id of element.getAttribute(name).split(/\s+/)) if (!ids.has(id)) say(`${name} leads nowhere`, element);
  for (const link of all("a[href^='#']")) if (!ids.has(link.getAttribute("href").slice(1))) say("a link leads nowhere", link);
  for (const link of all("a, button, summary")) if (!link.textContent.trim() && !link.getAttribute("aria-label")) say("no name", link);

  for (const table of all("table")) {
    if (!table.querySelector("thead th")) say("a table without headers", table);
    if (!table.caption && !table.closest("[aria-label], [aria-labelledby]")) say("a table without a name", table);
  }
  for (const header of all("th")) if (!header.scope) say("a header without scope", header);
  for (const control of all("input, select, textarea")) if (!control.labels.length && !control.getAttribute("aria-label")) say("a control with no label", control);
  for (const part of all("section, form, nav, [role=region], [role=group]"))
    if (!part.getAttribute("aria-label") && !part.getAttribute("aria-labelledby") && part.getAttribute("role") !== "group") say("a region without a name", part);
  for (const image of all("img")) if (!image.hasAttribute("alt")) say("an image without words", image);
  for (const drawing of all("svg:not([aria-hidden='true'])")) if (!drawing.getAttribute("aria-label")) say("a drawing without words", drawing);

  for (const element of all("[tabindex]")) if (element.tabIndex > 0) say("an order of its own", element);
  for (const element of all("[aria-hidden='true'] a, [aria-hidden='true'] [tabindex]")) if (element.tabIndex >= 0) say("a stop that is hidden", element);
  for (const element of all("*")) {
    const style = getComputedStyle(element);
    if (element.matches("details > :not(summary)") || !["auto", "scroll"].includes(style.overflowX)) continue;
    if (element.tabIndex < 0 && element.scrollWidth > element.clientWidth) say("scrolls but not by keyboard", element);
  }

  // Contrast of every text that is shown.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  const rgba = (colour) => {
    if (!colours.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      colours.set(colour, Array.from(canvas.getImageData(0, 0, 1, 1).data));
    }
    return colours.get(colour);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let part = element; part; part = part.parentElement) {
      const colour = rgba(getComputedStyle(part).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = new Set();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("script, style, title, svg") || !element.checkVisibility()) continue;
    const [a, b] = [luminance(rgba(getComputedStyle(element).color)), luminance(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.add(`contrast ${ratio.toFixed(2)}: ${named(element)}`);
  }
  return problems.concat(Array.from(faint));
})()
