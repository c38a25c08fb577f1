"use strict";
// Reading needs none of this: it adds filters, keys on the timeline, and opens what a link leads to.
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = (id) => document.getElementById(id);
  for (const part of all("[data-script]")) part.hidden = false;

  // Links into a folded part open it and take the focus there.
  const follow = () => {
    const target = location.hash.length > 1 ? one(decodeURIComponent(location.hash.slice(1))) : null;
    if (!target) return;
    const item = target.closest("li.span");
    if (item && item.hidden) reset();
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    const summary = target.classList.contains("body") ? target.parentElement.querySelector("summary") : null;
    (summary || target).scrollIntoView({ block: "start" });
    if (summary) summary.focus({ preventScroll: true });
  };

  // Filters.
  const form = one("filter-spans");
  const spans = all("#spans > ol > li");
  const bars = all("#timeline a[data-span]");
  const texts = new Map();
  const text = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };
  const grouped = (number) => number.toString().replace(/\B(?=(\d{3})+$)/g, ",");
  // While a filter is set, what no shown span introduced or leads to is not printed.
  const further = all("#blocking tbody tr, #records tbody tr, #ledger tbody tr, #rules details, #tables details");
  const body = (part) => (part.querySelector(".body") || part).id;
  const sift = (filtered) => {
    const wanted = new Set();
    for (const item of filtered ? spans : [])
      if (!item.hidden) {
        wanted.add(body(item));
        for (const link of item.querySelectorAll("a[href^='#']")) wanted.add(link.hash.slice(1));
      }
    for (const part of further) {
      const names = [body(part), ...(part.dataset.spans || "").split(" ")];
      part.classList.toggle("beside", filtered && !names.some((name) => wanted.has(name)));
    }
  };
  const filter = () => {
    const action = form.elements.action.value;
    const rule = form.elements.rule.value;
    const words = form.elements.text.value.toLowerCase().trim();
    let shown = 0;
    spans.forEach((item, number) => {
      const fits =
        (!action || item.dataset.action === action) &&
        (!rule || item.dataset.rules.split(" ").includes(rule)) &&
        (!words || text(item).includes(words));
      item.hidden = !fits;
      if (bars[number]) bars[number].classList.toggle("off", !fits);
      shown += fits ? 1 : 0;
    });
    const filtered = Boolean(action || rule || words);
    sift(filtered);
    one("shown").textContent = filtered ? `${grouped(shown)} of ${grouped(spans.length)} spans shown` : `${grouped(spans.length)} spans`;
  };
  const reset = () => {
    form.reset();
    filter();
  };
  if (form) {
    let waiting = 0;
    form.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(filter, spans.length > 500 ? 200 : 0);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    for (const [id, open] of [["unfold", true], ["fold", false]])
      one(id).addEventListener("click", () => {
        for (const item of spans) if (!item.hidden) item.querySelector("details").open = open;
      });
  }
  const ledger = one("filter-ledger");
  if (ledger) {
    const rows = all("#ledger tbody tr");
    const filterLedger = () => {
      const words = ledger.elements.text.value.toLowerCase().trim();
      let shown = 0;
      for (const row of rows) {
        row.hidden = (ledger.elements.live.checked && !row.dataset.live) || (words && !text(row).includes(words));
        shown += row.hidden ? 0 : 1;
      }
      one("shown-items").textContent = `${grouped(shown)} of ${grouped(rows.length)} items shown`;
    };
    ledger.addEventListener("input", filterLedger);
    ledger.addEventListener("submit", (event) => event.preventDefault());
    ledger.addEventListener("reset", () => setTimeout(filterLedger));
  }

  // Keys on the timeline: one stop of the tab key, arrows from bar to bar.
  const timeline = one("timeline");
  if (timeline && bars.length) {
    timeline.removeAttribute("aria-hidden");
    timeline.setAttribute("role", "group");
    timeline.setAttribute("aria-label", "Timeline of spans: arrow keys go from span to span, Enter opens one");
    let current = 0;
    bars[0].setAttribute("tabindex", "0");
    const go = (number) => {
      bars[current].setAttribute("tabindex", "-1");
      current = Math.max(0, Math.min(bars.length - 1, number));
      bars[current].setAttribute("tabindex", "0");
      bars[current].focus();
    };
    const say = (bar) => {
      one("pointed").textContent = bar.querySelector("title").textContent;
    };
    const besides = (step) => {
      const row = Number(bars[current].dataset.row) + step;
      const middle = Number(bars[current].dataset.middle);
      let best = -1;
      bars.forEach((bar, number) => {
        const away = Math.abs(Number(bar.dataset.middle) - middle);
        if (Number(bar.dataset.row) === row && (best < 0 || away < Math.abs(Number(bars[best].dataset.middle) - middle))) best = number;
      });
      return best < 0 ? current : best;
    };
    const next = (step) => {
      let number = current + step;
      while (bars[number] && bars[number].classList.contains("off")) number += step;
      return bars[number] ? number : current;
    };
    timeline.addEventListener("keydown", (event) => {
      const keys = {
        ArrowRight: () => next(1),
        ArrowLeft: () => next(-1),
        ArrowDown: () => besides(1),
        ArrowUp: () => besides(-1),
        Home: () => 0,
        End: () => bars.length - 1,
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      go(keys[event.key]());
    });
    // Not on the drawing itself: Chromium makes one that listens for focus a stop of its own.
    for (const kind of ["focusin", "mouseover"])
      timeline.parentElement.addEventListener(kind, (event) => {
        const bar = event.target.closest("a[data-span]");
        if (!bar) return;
        say(bar);
        if (kind === "focusin" && bar !== bars[current]) go(bars.indexOf(bar));
      });
    timeline.addEventListener("click", (event) => {
      const bar = event.target.closest("a[data-span]");
      if (bar && bar.getAttribute("href") === location.hash) follow();
    });
  }

  addEventListener("hashchange", follow);
  follow();

  // Browsers whose style sheets can't open folded parts for print.
  if (!CSS.supports("selector(::details-content)")) {
    let closed = [];
    addEventListener("beforeprint", () => {
      closed = all("details:not([open])");
      for (const part of closed) part.open = true;
    });
    addEventListener("afterprint", () => {
      for (const part of closed) part.open = false;
    });
  }
})();
