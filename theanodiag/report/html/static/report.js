"use strict";
// Tables that sort and filter; the timeline with zoom and hover; the allocator's memory at a moment. Text is only ever set as text.
(() => {
  const $ = (id) => document.getElementById(id);
  for (const e of document.querySelectorAll(".scripted")) e.hidden = false;

  const size = (n) => {
    for (const [unit, factor] of [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
      if (Math.abs(n) >= factor) return `${(n / factor).toFixed(1)} ${unit}`;
    return `${Math.round(n)} B`;
  };
  const exact = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // ---- tables
  const words = new Intl.Collator(undefined, { numeric: true });
  const value = (row, head, column) => {
    const cell = row.cells[column], text = cell.dataset.value ?? cell.textContent.trim();
    return head.classList.contains("number") ? Number.parseFloat(text.replace(/\s/g, "")) || 0 : text;
  };
  const order = (a, b) => (typeof a === "number" ? a - b : words.compare(a, b));
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = element("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const falling = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : head.classList.contains("number");
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [value(row, head, column), row]);
        rows.sort(([a], [b]) => order(a, b) * (falling ? -1 : 1));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  }
  const filter = $("filter");
  if (filter) filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase(), rows = [...$(filter.dataset.table).tBodies[0].rows];
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    $("filtered").textContent = wanted ? `${rows.filter((r) => !r.hidden).length} of ${rows.length} rows` : "";
  });
  // A link that puts its words into the filter.
  for (const link of document.querySelectorAll("a[data-only]")) link.addEventListener("click", () => {
    filter.value = link.dataset.only;
    filter.dispatchEvent(new Event("input"));
  });
  // A link into what is folded up unfolds it.
  const unfold = () => { const folded = $(location.hash.slice(1))?.closest("details"); if (folded) { folded.open = true; folded.scrollIntoView(); } };
  addEventListener("hashchange", unfold);
  unfold();

  // ---- the timeline
  const source = $("timeline");
  if (!source) return;
  const T = JSON.parse(source.textContent), N = T.born.length, END = T.end;
  // What is kept short in the file: sizes in units, clocks as differences.
  T.address = T.address.map((n) => n * T.unit);
  T.held = T.held.map((n) => n * T.unit);
  for (let k = 1; k < N; k++) T.born[k] += T.born[k - 1];
  const [KIND, NAME, OP, DTYPE, SHAPE, SITE, CODE] = [0, 1, 2, 3, 4, 5, 6];
  const died = T.lasts.map((n, k) => (n ? T.born[k] + n : END + 1));
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const OWN = 28;
  // Changes by clock: the allocations that come (k + 1) and go (-k - 1).
  const changes = Array.from({ length: END + 2 }, () => null);
  for (let k = 0; k < N; k++) {
    (changes[T.born[k]] ??= []).push(k + 1);
    if (died[k] <= END) (changes[died[k]] ??= []).push(-k - 1);
  }
  const live = new Float64Array(END + 1), reserved = new Float64Array(END + 1);
  for (const [, bytes, taken, returned] of T.blocks) {
    reserved[taken] += bytes;
    if (returned) reserved[returned] -= bytes;
  }
  for (let c = 0; c <= END; c++) {
    if (c) { live[c] = live[c - 1]; reserved[c] += reserved[c - 1]; }
    for (const k of changes[c] ?? []) live[c] += k > 0 ? T.held[k - 1] : -T.held[-k - 1];
  }
  const spanAt = new Int32Array(END + 1).fill(-1);
  T.spans.forEach(([, start, end], k) => spanAt.fill(k, start + 1, end + 1));

  // Owners: Variables with a band of their own are those whose bytes ever weigh most; the rest is one band a kind.
  const bandsBy = (by) => {
    const keys = new Map(), owner = new Int32Array(N), owners = [];
    for (let k = 0; k < N; k++) {
      const tag = T.tags[T.tag[k]], f = T.span[k] < 0 ? -1 : T.spans[T.span[k]][3];
      const key = by === "kind" ? tag[KIND] : `${tag[KIND]}|${f}|${tag[NAME]}|${tag[SHAPE]}|${tag[SITE]}`;
      if (!keys.has(key)) { keys.set(key, owners.length); owners.push({ kind: tag[KIND], name: by === "kind" ? T.kinds[tag[KIND]] : tag[NAME], most: 0, now: 0 }); }
      owner[k] = keys.get(key);
    }
    for (let c = 0; c <= END; c++) for (const k of changes[c] ?? []) {
      const o = owners[owner[Math.abs(k) - 1]];
      o.now += k > 0 ? T.held[k - 1] : -T.held[-k - 1];
      if (o.now > o.most) o.most = o.now;
    }
    const least = owners.map((o) => o.most).sort((a, b) => b - a)[OWN] ?? -1;
    const bands = [], rest = new Map(), to = owners.map((o) => {
      if (by === "kind" || o.most > least) return bands.push({ kind: o.kind, name: o.name, own: true }) - 1;
      if (!rest.has(o.kind)) rest.set(o.kind, bands.push({ kind: o.kind, name: `other ${T.kinds[o.kind]}`, own: false }) - 1);
      return rest.get(o.kind);
    });
    const order = bands.map((_, k) => k).sort((a, b) => bands[a].kind - bands[b].kind || a - b), place = [];
    order.forEach((k, at) => { place[k] = at; });
    const shades = {};
    const sorted = order.map((k) => ({ ...bands[k], shade: (shades[bands[k].kind] = (shades[bands[k].kind] ?? -1) + 1) % 3 }));
    return { bands: sorted, of: owner.map((o) => place[to[o]]) };
  };

  let stacked, from = 0, until = END, moment = T.peak, plot = null, picked = [];
  const POINTS = 1400;
  const clocks = () => {
    const found = [], n = Math.min(POINTS, until - from + 1);
    for (let b = 0; b < n; b++) {
      const low = from + Math.floor((b * (until - from + 1)) / n), high = from + Math.floor(((b + 1) * (until - from + 1)) / n);
      let top = low;
      for (let c = low; c < high; c++) if (live[c] > live[top]) top = c;
      found.push(top);
    }
    return found;
  };
  const shade = (kind, k) => {
    const base = color(T.kinds[kind]);
    return k === 0 ? base : `color-mix(in srgb, ${base} ${k === 1 ? 78 : 60}%, ${color("page")})`;
  };
  const curves = () => T.after.filter((a) => document.querySelector(`[data-curve="${CSS.escape(a.title)}"]`)?.checked);
  const interpolated = (points, at, column) => {
    const found = [];
    let k = 0;
    for (const c of at) {
      while (k + 1 < points.length && points[k + 1][0] <= c) k++;
      found.push(points.length ? points[k][column] : null);
    }
    return found;
  };
  const measuredAt = (at, column) => {
    const byClock = new Map();
    for (const row of T.measured) byClock.set(row[0], row[column]);
    return at.map((c) => byClock.get(spanAt[c]) ?? null);
  };

  const build = () => {
    picked = clocks();
    const K = stacked.bands.length, rows = Array.from({ length: K }, () => new Float64Array(picked.length)), now = new Float64Array(K);
    let at = 0;
    picked.forEach((clock, p) => {
      for (; at <= clock; at++) for (const k of changes[at] ?? []) now[stacked.of[Math.abs(k) - 1]] += k > 0 ? T.held[k - 1] : -T.held[-k - 1];
      let sum = 0;
      for (let b = 0; b < K; b++) { sum += now[b]; rows[b][p] = sum; }
    });
    const lines = [];
    const stepped = uPlot.paths.stepped({ align: 1 });
    const series = [{}, ...stacked.bands.map((band) => ({ label: band.name, stroke: color("page"), width: 0.4, points: { show: false }, paths: stepped }))];
    const bands = stacked.bands.map((band, k) => ({ series: [k + 1, k ? k : -1], fill: shade(band.kind, band.shade) }));
    const line = (label, stroke, data, dash, width = 1.5) => { lines.push(data); series.push({ label, stroke, width, dash, points: { show: false }, paths: stepped }); };
    line("reserved", color("reserved"), picked.map((c) => reserved[c]));
    for (const a of curves()) {
      const points = interpolated(a.points, picked, 1);
      line(`ground of ${a.title}`, color("page"), points, undefined, 5);
      line(`live after ${a.title}`, color("after"), points, [4, 3], 3);
      line(`reserved after ${a.title}`, color("after"), interpolated(a.points, picked, 2), [8, 3], 1.5);
    }
    if (T.measured.length) {
      line("measured live peak", color("measured"), measuredAt(picked, 1), undefined, 4);
      line("measured reserved", color("measured"), measuredAt(picked, 2), [3, 5], 3);
    }
    let top = 1;
    for (const l of [rows[K - 1], ...lines]) for (const v of l ?? []) if (v > top) top = v;
    const limited = T.limit !== null && T.limit <= 1.35 * Math.max(top, 1);
    if (limited) top = Math.max(top, T.limit);
    bands[0].series = [1, -1];
    series[1].fill = bands[0].fill;
    return { data: [picked, ...rows, ...lines], series, bands: bands.slice(1), top, limited };
  };

  const ticks = (u, axis, low, high) => {
    let step = 1;
    while (high / step > 7) step *= 2;
    const found = [];
    for (let v = 0; v <= high; v += step) found.push(v);
    return found;
  };
  const height = () => (innerWidth < 600 ? 260 : 340);
  const draw = () => {
    const host = $("plot"), made = build(), dim = color("dim"), grid = { stroke: color("line"), width: 1 };
    if (plot) plot.destroy();
    plot = new uPlot({
      width: host.clientWidth, height: height(), legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
      scales: { x: { time: false, range: () => [from, Math.max(until, from + 1)] }, y: { range: () => [0, made.top * 1.12] } },
      axes: [
        { stroke: dim, grid: { show: false }, ticks: grid, label: "changes of memory", labelSize: 20, labelFont: "12px system-ui, sans-serif", values: (u, all) => all.map((v) => (Number.isInteger(v) ? exact(v) : "")) },
        { stroke: dim, grid, ticks: grid, size: 76, splits: ticks, values: (u, all) => all.map(size) },
      ],
      series: made.series, bands: made.bands,
      hooks: {
        draw: [(u) => marks(u, made)],
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          zoom(Math.floor(u.posToVal(u.select.left, "x")), Math.ceil(u.posToVal(u.select.left + u.select.width, "x")));
        }],
      },
    }, made.data, host);
    plot.over.addEventListener("mousemove", hover);
    plot.over.addEventListener("mouseleave", () => { $("tip").hidden = true; });
    plot.over.addEventListener("click", (e) => { if (plot.select.width < 4) go(clockAt(e)); });
    plot.over.addEventListener("dblclick", () => zoom(0, END));
    const canvas = host.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `live bytes from change ${from} to ${until} of ${END}, stacked by ${$("stack").value}; the slider below reads them out`);
  };
  // Where calls begin, the device's limit, and the moment that is looked at.
  const marks = (u, made) => {
    const c = u.ctx, box = u.bbox, ratio = devicePixelRatio || 1;
    c.save();
    c.beginPath();
    c.rect(box.left, box.top, box.width, box.height);
    c.clip();
    c.font = `${11 * ratio}px system-ui, sans-serif`;
    c.textAlign = "left";
    c.textBaseline = "alphabetic";
    let last = -Infinity;
    for (const [title, start, end, f] of T.spans) {
      if (f < 0 || end < from || start > until) continue;
      const x = Math.max(u.valToPos(start, "x", true), box.left);
      c.strokeStyle = color("dim");
      c.lineWidth = 0.6 * ratio;
      c.setLineDash([2 * ratio, 4 * ratio]);
      c.beginPath(); c.moveTo(x, box.top); c.lineTo(x, box.top + box.height); c.stroke();
      const room = u.valToPos(Math.min(end, until), "x", true) - x, text = title, width = c.measureText(text).width;
      if (x > last && (room > width + 8 * ratio || x - last > 140 * ratio) && x + width < box.left + box.width) {
        c.setLineDash([]);
        c.fillStyle = color("page"); c.globalAlpha = 0.8;
        c.fillRect(x + 2 * ratio, box.top + 2 * ratio, width + 6 * ratio, 15 * ratio);
        c.globalAlpha = 1; c.fillStyle = color("ink");
        c.fillText(text, x + 5 * ratio, box.top + 13 * ratio);
        last = x + width + 12 * ratio;
      }
    }
    if (made.limited) {
      const y = u.valToPos(T.limit, "y", true);
      c.strokeStyle = color("limit"); c.lineWidth = 1.5 * ratio; c.setLineDash([6 * ratio, 4 * ratio]);
      c.beginPath(); c.moveTo(box.left, y); c.lineTo(box.left + box.width, y); c.stroke();
    }
    const x = u.valToPos(moment, "x", true);
    c.setLineDash([]); c.strokeStyle = color("ink"); c.lineWidth = 1.5 * ratio;
    c.beginPath(); c.moveTo(x, box.top); c.lineTo(x, box.top + box.height); c.stroke();
    c.restore();
  };

  // ---- what there is at a clock
  const at = (clock) => {
    const found = [];
    for (let k = 0; k < N && T.born[k] <= clock; k++) if (died[k] > clock) found.push(k);
    return found;
  };
  const stepAt = (clock) => {
    const s = spanAt[clock];
    if (s < 0) return "the start";
    const [title, start, , f, , number] = T.spans[s], steps = T.steps[number];
    for (let k = 0; k < steps.length; k += 2) if (start + steps[k] >= clock) {
      const node = steps[k + 1], name = node < 0 ? (k ? "end of the call" : "arguments") : T.ops[f]?.[node] ?? "";
      return `${title}, ${node < 0 ? name : `step ${k / 2} of ${steps.length / 2 - 2}: ${name}`}`;
    }
    return title;
  };
  const about = (k) => {
    const tag = T.tags[T.tag[k]], box = document.createDocumentFragment();
    box.append(element("b", tag[NAME]));
    if (tag[OP] && tag[OP] !== tag[NAME]) box.append(element("span", tag[OP]));
    if (tag[SITE]) box.append(element("span", tag[CODE] ? `${tag[SITE]}  ${tag[CODE]}` : tag[SITE]));
    box.append(element("span", `${tag[DTYPE]} ${tag[SHAPE]} · ${T.kinds[tag[KIND]]}`));
    box.append(element("span", `${exact(T.held[k])} bytes (${size(T.held[k])})${T.rounding[k] ? `, ${exact(T.rounding[k])} of them rounding` : ""}`));
    return box;
  };
  const tip = (e, ...content) => {
    const t = $("tip");
    t.replaceChildren(...content);
    t.hidden = false;
    const box = t.getBoundingClientRect();
    t.style.left = `${Math.max(4, Math.min(e.clientX + 14, innerWidth - box.width - 6))}px`;
    t.style.top = `${Math.max(4, e.clientY + 16 + box.height > innerHeight ? e.clientY - box.height - 12 : e.clientY + 16)}px`;
  };
  const clockAt = (e) => {
    const x = e.clientX - plot.over.getBoundingClientRect().left;
    return picked[plot.posToIdx(x)] ?? 0;
  };
  const hover = (e) => {
    const clock = clockAt(e), y = plot.posToVal(e.clientY - plot.over.getBoundingClientRect().top, "y"), p = picked.indexOf(clock);
    const head = element("span", `${stepAt(clock)} · live ${size(live[clock])}, reserved ${size(reserved[clock])}`);
    let band = stacked.bands.findIndex((_, b) => plot.data[b + 1][p] > y);
    if (band < 0 || y < 0) return tip(e, head);
    const rows = at(clock).filter((k) => stacked.of[k] === band).sort((a, b) => T.held[b] - T.held[a]);
    const more = rows.length > 3 ? [element("span", `and ${rows.length - 3} more here`)] : [];
    tip(e, ...rows.slice(0, 3).map(about), ...more, head);
  };

  // ---- the allocator's memory
  let placed = [];
  const blocksAt = (clock) => {
    const found = T.blocks.filter(([, , taken, returned]) => taken <= clock && (!returned || returned > clock)).map(([a, s]) => [a, s]).sort((a, b) => a[0] - b[0]);
    if (!T.pooled) return found;
    const merged = [];
    for (const [a, s] of found) {
      const last = merged[merged.length - 1];
      if (last && last[0] + last[1] === a) last[1] += s; else merged.push([a, s]);
    }
    return merged;
  };
  const hatch = (c, ratio) => {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6 * ratio;
    const t = tile.getContext("2d");
    t.fillStyle = color("free"); t.fillRect(0, 0, tile.width, tile.height);
    t.strokeStyle = color("hatch"); t.lineWidth = ratio;
    t.beginPath(); t.moveTo(0, tile.height); t.lineTo(tile.width, 0); t.stroke();
    return c.createPattern(tile, "repeat");
  };
  const map = () => {
    const canvas = $("map"), ratio = devicePixelRatio || 1, width = canvas.clientWidth || canvas.parentElement.clientWidth, line = 22;
    const blocks = blocksAt(moment), rows = at(moment).sort((a, b) => T.address[a] - T.address[b]);
    const total = blocks.reduce((n, [, s]) => n + s, 0), lines = Math.max(1, Math.min(width < 600 ? 14 : 8, Math.ceil(blocks.length / 2) + 3)), each = total / lines || 1;
    canvas.width = width * ratio; canvas.height = (lines * line + 2) * ratio; canvas.style.height = `${lines * line + 2}px`;
    const c = canvas.getContext("2d"), empty = hatch(c, ratio);
    placed = [];
    const paint = (offset, bytes, fill, k) => {
      for (let start = offset, left = bytes; left > 0;) {
        const row = Math.min(lines - 1, Math.floor(start / each + 1e-9)), x = (start - row * each) / each * width, room = Math.min(left, (row + 1) * each - start);
        const w = row === lines - 1 ? left / each * width : room / each * width;
        c.fillStyle = fill;
        c.fillRect(x * ratio, (row * line + 2) * ratio, Math.max(0.5, w - (k >= 0 && w > 3 ? 1 : 0)) * ratio, (line - 4) * ratio);
        if (k >= 0) placed.push([x, row * line, x + w, (row + 1) * line, k]);
        if (row === lines - 1 || room <= 0) break;
        start += room; left -= room;
      }
    };
    let offset = 0, r = 0, free = 0, largest = 0, pieces = 0, split = 0;
    const heads = [];
    const gap = (n) => { if (n > 0) { free += n; pieces++; largest = Math.max(largest, n); } };
    for (const [start, bytes] of blocks) {
      paint(offset, bytes, empty, -1);
      heads.push(offset);
      while (r < rows.length && T.address[rows[r]] < start) r++;
      let edge = start, inside = 0;
      for (; r < rows.length && T.address[rows[r]] < start + bytes; r++, inside++) {
        const k = rows[r], tag = T.tags[T.tag[k]];
        gap(T.address[k] - edge);
        paint(offset + T.address[k] - start, T.held[k], shade(tag[KIND], inside % 2), k);
        edge = T.address[k] + T.held[k];
      }
      gap(start + bytes - edge);
      if (inside && start + bytes - edge + (inside > 1) > 0) split++;
      offset += bytes;
    }
    for (const head of heads) {
      const row = Math.min(lines - 1, Math.floor(head / each + 1e-9));
      c.fillStyle = color("ink");
      c.fillRect((head - row * each) / each * width * ratio, row * line * ratio, 2 * ratio, line * ratio);
    }
    const s = (n, what) => `${exact(n)} ${what}${n === 1 ? "" : "s"}`;
    const scattered = free ? `, the largest piece ${size(largest)}: fragmentation ${((1 - largest / free) * 100).toFixed(0)} %` : "";
    $("map-facts").textContent = `${s(blocks.length, "block")} of the driver with ${size(total)}, ${exact(split)} of them split; ${s(rows.length, "allocation")} hold ${size(live[moment])}; `
      + (free ? `${size(free)} free in ${s(pieces, "piece")}${scattered}.` : "nothing is free.");
    if ($("blocks").open) table(rows);
  };
  const LISTED = 400;
  const table = (rows) => {
    const body = $("blocks").querySelector("tbody");
    body.replaceChildren(...rows.slice(0, LISTED).map((k) => {
      const tag = T.tags[T.tag[k]], row = element("tr");
      row.append(element("td", `+${exact(T.address[k])}`, "number"), element("td", tag[NAME]), element("td", tag[SITE]), element("td", T.kinds[tag[KIND]]), element("td", exact(T.held[k]), "number"));
      return row;
    }));
    if (rows.length > LISTED) {
      const cell = element("td", `${exact(rows.length - LISTED)} more`);
      cell.colSpan = 5;
      const row = element("tr");
      row.append(cell);
      body.append(row);
    }
  };
  const onMap = (e) => {
    const box = $("map").getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    return placed.find(([l, t, r, b]) => x >= l && x <= r && y >= t && y < b)?.[4];
  };

  // ---- moving about
  let waiting = 0;
  const go = (clock) => {
    moment = Math.max(0, Math.min(END, clock));
    $("moment").value = moment;
    const text = `change ${exact(moment)} of ${exact(END)}: ${stepAt(moment)}; live ${size(live[moment])}, reserved ${size(reserved[moment])}`;
    $("moment").setAttribute("aria-valuetext", text);
    $("told").textContent = text;
    if (moment < from || moment > until) return zoom(Math.max(0, moment - Math.floor((until - from) / 2)), moment + Math.floor((until - from) / 2));
    if (!waiting) waiting = requestAnimationFrame(() => { waiting = 0; plot.redraw(false); map(); });
  };
  const zoom = (low, high) => {
    from = Math.max(0, low);
    until = Math.min(END, Math.max(high, from + 2));
    draw();
    go(Math.max(from, Math.min(until, moment)));
  };
  const scale = (factor) => {
    const half = Math.max(2, Math.round(((until - from) * factor) / 2));
    zoom(moment - half, moment + half);
  };
  const start = () => {
    stacked = bandsBy("variable");
    $("picture").hidden = true;
    $("interactive").hidden = false;
    $("moment").max = END;
    const which = $("which");
    which.append(new Option("the whole script", ""));
    T.spans.forEach(([title, , , f], k) => { if (f >= 0 && which.length < 300) which.append(new Option(title, k)); });
    which.addEventListener("change", () => { const s = T.spans[which.value]; if (s) { moment = Math.max(s[1], Math.min(s[2], moment)); zoom(s[1], s[2]); } else zoom(0, END); });
    $("stack").addEventListener("change", () => { stacked = bandsBy($("stack").value); draw(); });
    $("closer").addEventListener("click", () => scale(0.5));
    $("wider").addEventListener("click", () => scale(2));
    $("whole").addEventListener("click", () => { which.value = ""; zoom(0, END); });
    $("to-peak").addEventListener("click", () => go(T.peak));
    $("moment").addEventListener("input", () => go(Number($("moment").value)));
    $("blocks").addEventListener("toggle", map);
    const boxes = [...document.querySelectorAll("[data-curve]")];
    for (const box of boxes) {
      box.checked = box.dataset.curve === T.after[0].title;
      box.addEventListener("change", draw);
    }
    $("map").addEventListener("mousemove", (e) => { const k = onMap(e); if (k === undefined) $("tip").hidden = true; else tip(e, about(k)); });
    $("map").addEventListener("mouseleave", () => { $("tip").hidden = true; });
    $("map").addEventListener("click", (e) => { const k = onMap(e); if (k !== undefined) $("map-told").replaceChildren(about(k)); });
    draw();
    go(T.peak);
    addEventListener("resize", () => { plot.setSize({ width: $("plot").clientWidth, height: height() }); map(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { draw(); map(); });
  };
  start();
  document.documentElement.dataset.ready = "yes";
})();
