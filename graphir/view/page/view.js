// ---------------------------------------------------------------- elements

const $ = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
// el makes an element. Text only ever goes in as text nodes.
function el(tag, attrs, ...kids) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (k === "on") for (const [ev, f] of Object.entries(v)) e.addEventListener(ev, f);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...kids.filter(k => k != null && k !== false));
  return e;
}
function svg(w, h, d, attrs) {
  const s = document.createElementNS(SVG, "svg");
  s.setAttribute("viewBox", `0 0 ${w} ${h}`);
  s.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(SVG, "path");
  p.setAttribute("d", d);
  for (const [k, v] of Object.entries(attrs || {})) p.setAttribute(k, v);
  s.append(p);
  return s;
}

// ---------------------------------------------------------------- data

async function unpack(id) {
  const node = $(id), text = node.textContent;
  node.remove();
  let bytes;
  if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(text);
  else {
    const s = atob(text);
    bytes = new Uint8Array(s.length);
    for (let i = 0; i < s.length; i++) bytes[i] = s.charCodeAt(i);
  }
  const out = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(out).arrayBuffer());
}
function reader(b, at) {
  return {
    u() { let v = 0, m = 1, c; do { c = b[at++]; v += (c & 127) * m; m *= 128; } while (c > 127); return v; },
    s() { const v = this.u(); return v % 2 ? -(v + 1) / 2 : v / 2; },
    at: () => at,
  };
}

const raw = await unpack("graph-data");
const headLen = new DataView(raw.buffer).getUint32(0, true);
const G = JSON.parse(new TextDecoder().decode(raw.subarray(4, 4 + headLen)));
const N = G.nodes, M = G.edges;
const X = new Float32Array(N), Y = new Float32Array(N), setOf = new Uint32Array(N), statusOf = new Uint16Array(N), commOf = new Uint32Array(N);
const timeOf = new Float64Array(N); // seconds since 1970; 0 is no time
const src = new Uint32Array(M), dst = new Uint32Array(M), typ = new Uint16Array(M);
{
  const r = reader(raw, 4 + headLen);
  for (let i = 0; i < N; i++) { X[i] = r.u() / G.unit; Y[i] = r.u() / G.unit; }
  for (const col of [setOf, statusOf, commOf]) for (let i = 0; i < N; i++) col[i] = r.u();
  for (let e = 0, from = 0; e < M; e++) { from += r.u(); src[e] = from; dst[e] = from + r.s(); typ[e] = r.u(); }
  for (let i = 0; i < N; i++) { const t = r.u(); timeOf[i] = t ? G.since + t - 1 : 0; }
}
// Edges by node: those that leave (sorted already), those that come.
const outAt = new Uint32Array(N + 1), inAt = new Uint32Array(N + 1), inEdge = new Uint32Array(M);
for (let e = 0; e < M; e++) { outAt[src[e] + 1]++; inAt[dst[e] + 1]++; }
for (let i = 0; i < N; i++) { outAt[i + 1] += outAt[i]; inAt[i + 1] += inAt[i]; }
{ const at = inAt.slice(); for (let e = 0; e < M; e++) inEdge[at[dst[e]]++] = e; }
const degree = i => outAt[i + 1] - outAt[i] + inAt[i + 1] - inAt[i];
const R = new Float32Array(N); // as in layout.go
for (let i = 0; i < N; i++) R[i] = Math.min(4.5, 1 + 0.35 * Math.sqrt(degree(i)));

// What the page takes labels and edge types for comes with the data: roles of the catalogue (see view.go).
const edgeIs = role => Uint8Array.from(G.roles, r => r.role === role ? r.back ? 2 : 1 : 0); // 1 along the edge, 2 against it
const EVIDENCE = edgeIs("evidence"), ABOUT = edgeIs("about"), CHANGE = edgeIs("change"), NEXT = edgeIs("next");
// ways lists the edges of i that go along a role, or against it.
function ways(i, role, against) {
  const a = [], out = against ? 2 : 1, back = against ? 1 : 2;
  for (let e = outAt[i]; e < outAt[i + 1]; e++) if (role[typ[e]] === out) a.push(e);
  for (let k = inAt[i]; k < inAt[i + 1]; k++) if (role[typ[inEdge[k]]] === back) a.push(inEdge[k]);
  return a;
}
const along = (i, role) => ways(i, role, false), against = (i, role) => ways(i, role, true);
const other = (e, i) => src[e] === i ? dst[e] : src[e];
const labelsOf = i => G.labelSets[setOf[i]].map(l => G.labels[l]);
const rolesOfSet = G.labelSets.map(s => new Set(s.map(l => G.looks[l].role).filter(Boolean)));
const is = (i, role) => rolesOfSet[setOf[i]].has(role);
const status = i => G.statuses[statusOf[i]];
// A status decides; without one, having a successor does (A → B → A leaves A active).
const gone = i => status(i) ? status(i) === "deprecated" : along(i, CHANGE).length > 0;
const byID = new Map(G.ids.map((id, i) => [id, i]));

let props = null; // {node(i), edge(e)} once the second block is read

// ---------------------------------------------------------------- shapes and colours

const SPARE = [["disc", "#d55e00", "#ff8f4a"], ["square", "#0072b2", "#4fb0f0"], ["diamond", "#009e73", "#37d6a8"], ["triangle", "#cc79a7", "#f5c1de"], ["hexagon", "#d99000", "#ffc14d"], ["down", "#39434f", "#d3dae2"]];
// Label → shape, colour on light, colour on dark, as the catalogue has them (see view.go). Hues follow Okabe and Ito, which
// colour-blind people can distinguish; the shape shows the family.
const rankOf = name => { const l = G.looks[G.labels.indexOf(name)]; return l && l.rank || 90; };
const styleOf = G.labels.map((_, i) => { const l = G.looks[i]; return l.shape ? [l.shape, l.light, l.dark] : SPARE[i % SPARE.length]; });
// A node is drawn as its most telling label.
const mainLabel = G.labelSets.map(s => s.length ? s.reduce((a, b) => rankOf(G.labels[b]) < rankOf(G.labels[a]) ? b : a) : -1);
const styleAt = i => styleOf[mainLabel[setOf[i]]] || ["disc", "#76808c", "#98a4b1"];
let dark = false;
const colour = st => st[dark ? 2 : 1];

function outline(shape, r) { // points around 0,0; null is a circle
  switch (shape) {
    case "square": { const a = r * 0.86; return [[-a, -a], [a, -a], [a, a], [-a, a]]; }
    case "diamond": { const a = r * 1.18; return [[0, -a], [a, 0], [0, a], [-a, 0]]; }
    case "triangle": { const a = r * 1.2; return [[0, -a], [a * 0.95, a * 0.68], [-a * 0.95, a * 0.68]]; }
    case "down": { const a = r * 1.2; return [[0, a], [a * 0.95, -a * 0.68], [-a * 0.95, -a * 0.68]]; }
    case "hexagon": { const a = r * 1.06, b = a * 0.866; return [[a, 0], [a / 2, b], [-a / 2, b], [-a, 0], [-a / 2, -b], [a / 2, -b]]; }
  }
  return null;
}
function swatch(st, hollow) {
  const pts = outline(st[0], 5);
  const d = pts ? "M" + pts.map(p => (p[0] + 7).toFixed(1) + " " + (p[1] + 7).toFixed(1)).join("L") + "Z" : "M2 7a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z";
  const s = svg(14, 14, d, hollow ? { fill: "none", stroke: colour(st), "stroke-width": "2" } : { fill: colour(st) });
  s.setAttribute("class", "sw");
  return s;
}

// ---------------------------------------------------------------- state

const labelOn = G.labels.map(() => true), typeOn = G.types.map(() => true), statusOn = G.statuses.map(() => true);
// passes is what the filters let through. Of that, the map shows all, or at first people and what is known, from which
// the turns of the selected node unfold.
const passes = new Uint8Array(N), shown = new Uint8Array(N);
const FOLDED = new Set(["memory", "turn", "source", "frame"]);
const foldedSet = rolesOfSet.map(r => [...r].some(x => FOLDED.has(x)) && !r.has("person") && !r.has("claim"));
let everything = !G.people.some(p => p.known.length + (p.was || []).length), ofPerson = null, timeFrom = -Infinity, timeTo = Infinity;
let anyShown = true;
function refilter() {
  const setOn = G.labelSets.map(s => s.length === 0 || s.some(l => labelOn[l]));
  anyShown = false;
  for (let i = 0; i < N; i++) {
    passes[i] = setOn[setOf[i]] && statusOn[statusOf[i]] && (!ofPerson || ofPerson.has(i)) && (!timeOf[i] || timeOf[i] >= timeFrom && timeOf[i] <= timeTo) ? 1 : 0;
    shown[i] = passes[i] && (everything || !foldedSet[setOf[i]] || i === selected || lit && lit.has(i)) ? 1 : 0;
    if (shown[i]) anyShown = true;
  }
  notice();
  paint();
}
let selected = -1, hover = -1;
let lit = null;      // nodes that stay bright beside the selected one
let litEdges = null; // edges drawn strong
const history = [];
let historyAt = -1;

// ---------------------------------------------------------------- the map

const canvas = $("map"), ctx = canvas.getContext("2d", { alpha: false });
let W = 1, H = 1, dpr = 1;
const cam = { x: 0, y: 0, k: 1 };
let minX = 0, minY = 0, maxX = 1, maxY = 1, kFit = 1;
{
  minX = minY = Infinity; maxX = maxY = -Infinity;
  for (let i = 0; i < N; i++) { minX = Math.min(minX, X[i]); maxX = Math.max(maxX, X[i]); minY = Math.min(minY, Y[i]); maxY = Math.max(maxY, Y[i]); }
  if (N === 0) minX = minY = maxX = maxY = 0;
}
// A grid of buckets answers "what is here".
const CELL = Math.max(8, Math.sqrt(((maxX - minX + 1) * (maxY - minY + 1)) / Math.max(1, N)) * 1.5);
const GW = Math.floor((maxX - minX) / CELL) + 1, GH = Math.floor((maxY - minY) / CELL) + 1;
const cellAt = new Uint32Array(GW * GH + 1), cellNode = new Uint32Array(N);
{
  const of = i => Math.floor((Y[i] - minY) / CELL) * GW + Math.floor((X[i] - minX) / CELL);
  for (let i = 0; i < N; i++) cellAt[of(i) + 1]++;
  for (let c = 0; c < GW * GH; c++) cellAt[c + 1] += cellAt[c];
  const at = cellAt.slice();
  for (let i = 0; i < N; i++) cellNode[at[of(i)]++] = i;
}
function nodesIn(x0, y0, x1, y1, f) {
  const cx0 = Math.max(0, Math.floor((x0 - minX) / CELL)), cx1 = Math.min(GW - 1, Math.floor((x1 - minX) / CELL));
  const cy0 = Math.max(0, Math.floor((y0 - minY) / CELL)), cy1 = Math.min(GH - 1, Math.floor((y1 - minY) / CELL));
  for (let cy = cy0; cy <= cy1; cy++) for (let cx = cx0; cx <= cx1; cx++) {
    const c = cy * GW + cx;
    for (let a = cellAt[c]; a < cellAt[c + 1]; a++) f(cellNode[a]);
  }
}
const RMAX = N < 400 ? 13 : 20;
// A small graph has room for larger nodes than their places ask for.
const room = n => n > 20000 ? 0.9 : n > 1500 ? 1.3 : n > 400 ? 2.6 : 4.2;
const UNFOLDED = foldedSet.some(Boolean) ? setOf.reduce((n, s) => n + (foldedSet[s] ? 0 : 1), 0) : N;
const RMIN = room(N), RMIN_FOLDED = room(UNFOLDED), GROW = N > 400 ? 0 : 0.9;
const size = i => Math.max(everything ? RMIN + GROW * (R[i] - 1) : is(i, "person") ? 6 : RMIN_FOLDED, Math.min(RMAX, R[i] * cam.k));
const sx = i => (X[i] - cam.x) * cam.k + W / 2, sy = i => (Y[i] - cam.y) * cam.k + H / 2;
function hit(px, py, slack) {
  const wx = (px - W / 2) / cam.k + cam.x, wy = (py - H / 2) / cam.k + cam.y, reach = (RMAX + slack) / cam.k;
  let best = -1, bd = Infinity;
  nodesIn(wx - reach, wy - reach, wx + reach, wy + reach, i => {
    if (!shown[i]) return;
    const d = Math.hypot(sx(i) - px, sy(i) - py) - size(i);
    if (d < slack && d < bd) { bd = d; best = i; }
  });
  return best;
}

// Order of drawing edges: those of small hubs first, so that a budget leaves out
// what says least. Order of labels: the best connected first.
const edgeOrder = new Uint32Array(M);
const tiers = []; // where the hubs' edges begin, ever fainter
{
  const w = new Float32Array(M);
  for (let e = 0; e < M; e++) { edgeOrder[e] = e; w[e] = Math.max(degree(src[e]), degree(dst[e])); }
  edgeOrder.sort((a, b) => w[a] - w[b] || a - b);
  let at = 0;
  for (const [most, strength] of [[90, 1], [400, 0.4], [Infinity, 0.12]]) {
    const from = at;
    while (at < M && w[edgeOrder[at]] <= most) at++;
    if (at > from) tiers.push({ from, to: at, strength });
  }
}
const titleRank = new Uint32Array(N);
{
  const bonus = G.looks.map(l => l.role === "person" ? 40 : l.role === "claim" ? 6 : !l.role && l.size > 60 || l.role === "frame" ? 10 : 0);
  const setBonus = G.labelSets.map(s => Math.max(0, ...s.map(l => bonus[l])));
  const w = new Float32Array(N);
  for (let i = 0; i < N; i++) { titleRank[i] = i; w[i] = Math.min(60, degree(i)) + setBonus[setOf[i]]; }
  titleRank.sort((a, b) => w[b] - w[a] || a - b);
}
// Nodes by colour and shape, so that the pen changes seldom; claims lie on top.
const drawOrder = new Uint32Array(N);
{
  const depth = G.labelSets.map((_, s) => { const l = mainLabel[s]; return l < 0 ? 1e3 : rankOf(G.labels[l]) * 100 + l; });
  for (let i = 0; i < N; i++) drawOrder[i] = i;
  drawOrder.sort((a, b) => depth[setOf[b]] - depth[setOf[a]] || setOf[a] - setOf[b] || a - b);
}
// Communities: centre and extent, for the names and clouds of the overview.
const comms = G.communities.map((c, k) => ({ n: c.n, head: c.head, x: 0, y: 0, r: 0, k }));
for (let i = 0; i < N; i++) { const c = comms[commOf[i]]; if (c) { c.x += X[i] / c.n; c.y += Y[i] / c.n; } }
{
  // Centre and extent that a few far members do not move: medians.
  const xs = comms.map(() => []), ys = comms.map(() => []), mid = a => a.sort((p, q) => p - q)[a.length >> 1];
  for (let i = 0; i < N; i++) if (comms[commOf[i]]) { xs[commOf[i]].push(X[i]); ys[commOf[i]].push(Y[i]); }
  comms.forEach((c, k) => { if (c.n > 2) { c.x = mid(xs[k]); c.y = mid(ys[k]); } });
  const far = comms.map(() => []);
  for (let i = 0; i < N; i++) { const c = comms[commOf[i]]; if (c) far[commOf[i]].push(Math.hypot(X[i] - c.x, Y[i] - c.y)); }
  comms.forEach((c, k) => { far[k].sort((p, q) => p - q); c.r = far[k][Math.floor(far[k].length * 0.7)] || 0; });
}
const big = comms.filter(c => c.n >= Math.max(8, N / 400)).slice(0, 60);

let INK = {};
function readInk() {
  const s = getComputedStyle(document.documentElement), v = n => s.getPropertyValue(n).trim();
  INK = { paper: v("--paper"), ink: v("--ink"), dim: v("--dim"), faint: v("--faint"), accent: v("--accent"), warn: v("--warn"), line: dark ? "#4a535f" : "#b9bdb9", font: v("--font") };
  sprites.clear();
}
const sprites = new Map();
function trace(c, shape, r) {
  const pts = outline(shape, r);
  c.beginPath();
  if (!pts) c.arc(0, 0, r, 0, 2 * Math.PI);
  else { pts.forEach((p, j) => j ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1])); c.closePath(); }
}
function sprite(st, r, hollow) {
  const step = r < 6 ? 0.5 : 1, q = Math.round(r / step) * step;
  const key = st[0] + st[1] + q + (hollow ? "o" : "");
  let s = sprites.get(key);
  if (!s) {
    const half = Math.ceil(q * 1.25 + 2), c = document.createElement("canvas");
    c.width = c.height = Math.ceil(half * 2 * dpr);
    const g = c.getContext("2d");
    g.scale(dpr, dpr); g.translate(half, half);
    trace(g, st[0], q);
    g.lineJoin = "round";
    if (hollow) {
      g.fillStyle = INK.paper; g.fill();
      trace(g, st[0], q * 0.82);
      g.lineWidth = Math.max(1, q * 0.3); g.strokeStyle = colour(st);
      if (q > 5) g.setLineDash([q * 0.75, q * 0.4]);
      g.stroke();
    } else {
      g.lineWidth = Math.min(2.5, Math.max(0.8, q * 0.3)); g.strokeStyle = INK.paper; g.stroke();
      g.fillStyle = colour(st); g.fill();
    }
    s = { c, half };
    sprites.set(key, s);
  }
  return s;
}

const hollowStatus = G.statuses.map(s => s !== "" && s !== "active");
const isClaimSet = rolesOfSet.map(r => r.has("claim"));
const supersededNode = new Uint8Array(N);
for (let e = 0; e < M; e++) if (CHANGE[typ[e]] && !status(src[e])) supersededNode[src[e]] = 1;

let moving = false, moveTimer = 0, budget = 20000, pending = false;
function paint() { if (!pending) { pending = true; requestAnimationFrame(draw); } }
function moved() {
  moving = true;
  clearTimeout(moveTimer);
  moveTimer = setTimeout(() => { moving = false; paint(); say(); }, 140);
  paint();
}

let lastFrame = 0, seen = 0;
function draw(now) {
  pending = false;
  if (anim) step(now);
  // While things move, the number of edges follows the time that frames take.
  if (moving && lastFrame && now - lastFrame < 400) {
    const took = now - lastFrame;
    if (took > 24) budget = Math.max(1200, budget * 0.75); else if (took < 18) budget = Math.min(30000, budget * 1.1);
  }
  lastFrame = moving ? now : 0;
  ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
  ctx.globalAlpha = 1;
  ctx.fillStyle = INK.paper;
  ctx.fillRect(0, 0, W, H);
  const focus = lit !== null;
  clouds(focus);
  edges(focus);
  nodes(focus);
  labels(focus);
  if (anim) { moving = true; paint(); }
}
let clouds = focus => {
  if (big.length < 2 || N < 400 || !everything) return;
  const overview = Math.max(0, Math.min(1, 1.6 - 0.5 * cam.k / kFit * 0.5));
  if (overview <= 0) return;
  ctx.globalAlpha = (dark ? 0.5 : 0.62) * (focus ? 0.5 : 1) * overview;
  for (const c of big) {
    const x = (c.x - cam.x) * cam.k + W / 2, y = (c.y - cam.y) * cam.k + H / 2, r = (c.r * 1.7 + 5) * cam.k;
    if (x + r < 0 || y + r < 0 || x - r > W || y - r > H || r > 3 * W) continue;
    ctx.drawImage(cloud(), x - r, y - r, 2 * r, 2 * r);
  }
  ctx.globalAlpha = 1;
};
function cloud() {
  let s = sprites.get("cloud");
  if (!s) {
    const c = document.createElement("canvas");
    c.width = c.height = 128;
    const g = c.getContext("2d"), f = g.createRadialGradient(64, 64, 0, 64, 64, 64);
    const tone = dark ? "150,175,215" : "120,140,170";
    f.addColorStop(0, `rgba(${tone},.24)`); f.addColorStop(0.62, `rgba(${tone},.16)`); f.addColorStop(1, `rgba(${tone},0)`);
    g.fillStyle = f; g.fillRect(0, 0, 128, 128);
    sprites.set("cloud", s = c);
  }
  return s;
}
function edges(focus) {
  const limit = moving ? budget : 60000, k = cam.k, ox = W / 2 - cam.x * k, oy = H / 2 - cam.y * k;
  ctx.lineWidth = 1;
  ctx.strokeStyle = INK.line;
  const crowd = Math.min(1, 2600 / Math.max(1, Math.min(M, limit)));
  const base = focus ? 0.16 : (dark ? 0.6 : 0.8) * (0.3 + 0.7 * Math.max(crowd, Math.min(1, cam.k / kFit / 5)));
  let drawn = 0;
  for (const tier of tiers) {
    ctx.globalAlpha = Math.max(0.02, base * (N < 400 ? Math.sqrt(tier.strength) : tier.strength));
    // The edges of great hubs are haze: a sample of them shows it.
    const share = Math.max(1, Math.ceil((tier.to - tier.from) * (1 - tier.strength) / 2500));
    ctx.beginPath();
    for (let a = tier.from; a < tier.to && drawn < limit; a += share) {
      const e = edgeOrder[a];
      if (!typeOn[typ[e]]) continue;
      const i = src[e], j = dst[e];
      if (!shown[i] || !shown[j]) continue;
      const x0 = X[i] * k + ox, y0 = Y[i] * k + oy, x1 = X[j] * k + ox, y1 = Y[j] * k + oy;
      if (x0 < 0 && x1 < 0 || y0 < 0 && y1 < 0 || x0 > W && x1 > W || y0 > H && y1 > H) continue;
      if (Math.abs(x1 - x0) + Math.abs(y1 - y0) < 2.5) continue;
      ctx.moveTo(x0, y0); ctx.lineTo(x1, y1);
      if (++drawn % 400 === 0) { ctx.stroke(); ctx.beginPath(); }
    }
    ctx.stroke();
  }
  // What replaced what is always to be seen.
  if (!focus && cam.k * 1.5 > 1.2) {
    ctx.globalAlpha = 0.9; ctx.strokeStyle = INK.warn; ctx.lineWidth = 1.5;
    for (let e = 0; e < M; e++) if (CHANGE[typ[e]] && typeOn[typ[e]] && shown[src[e]] && shown[dst[e]]) arrow(e);
  }
  if (litEdges) {
    for (const [e, strong] of litEdges) {
      if (!typeOn[typ[e]] || !shown[src[e]] || !shown[dst[e]]) continue;
      ctx.globalAlpha = strong ? 1 : 0.55;
      ctx.strokeStyle = CHANGE[typ[e]] ? INK.warn : strong ? INK.accent : INK.faint;
      ctx.lineWidth = strong ? 2 : 1.2;
      arrow(e);
    }
  }
  ctx.globalAlpha = 1;
}
function arrow(e) {
  const x0 = sx(src[e]), y0 = sy(src[e]), x1 = sx(dst[e]), y1 = sy(dst[e]), d = Math.hypot(x1 - x0, y1 - y0);
  if (d < 1 || Math.max(x0, x1) < -40 || Math.max(y0, y1) < -40 || Math.min(x0, x1) > W + 40 || Math.min(y0, y1) > H + 40) return;
  const ux = (x1 - x0) / d, uy = (y1 - y0) / d, end = d - size(dst[e]) - 1;
  const tx = x0 + ux * end, ty = y0 + uy * end;
  ctx.beginPath();
  ctx.moveTo(x0, y0); ctx.lineTo(tx, ty);
  if (end > 14) { ctx.moveTo(tx - ux * 6 - uy * 3.5, ty - uy * 6 + ux * 3.5); ctx.lineTo(tx, ty); ctx.lineTo(tx - ux * 6 + uy * 3.5, ty - uy * 6 - ux * 3.5); }
  ctx.stroke();
}
let taken = new Uint8Array(0);
function nodes(focus) {
  const k = cam.k, ox = W / 2 - cam.x * k, oy = H / 2 - cam.y * k, pad = RMAX + 2;
  // In a crowd one node a square of pixels is drawn; the square grows while moving.
  const side = moving && N > 8000 ? 3 : 2, tw = Math.ceil((W + 2 * pad) / side), th = Math.ceil((H + 2 * pad) / side);
  const thin = N > 8000 && R[0] * k < 4;
  if (thin) { if (taken.length < tw * th) taken = new Uint8Array(tw * th); else taken.fill(0); }
  const late = [];
  let pen = "";
  seen = 0;
  ctx.globalAlpha = focus ? (dark ? 0.26 : 0.22) : 1;
  for (let a = 0; a < N; a++) {
    const i = drawOrder[a];
    if (!shown[i]) continue;
    const x = X[i] * k + ox, y = Y[i] * k + oy;
    if (x < -pad || y < -pad || x > W + pad || y > H + pad) continue;
    seen++;
    if (focus && lit.has(i)) { late.push(i); continue; }
    const r = size(i);
    if (r < 2.2) {
      if (thin) { const c = (((y + pad) / side) | 0) * tw + (((x + pad) / side) | 0); if (taken[c]) continue; taken[c] = 1; }
      const col = colour(styleAt(i));
      if (col !== pen) ctx.fillStyle = pen = col;
      ctx.fillRect(x - r, y - r, 2 * r, 2 * r);
    } else stamp(i, x, y, r);
  }
  ctx.globalAlpha = 1;
  for (const i of late) stamp(i, sx(i), sy(i), Math.max(size(i), 3.5));
  if (selected >= 0 && shown[selected]) ring(selected, INK.accent, 3);
  if (hover >= 0 && hover !== selected && shown[hover]) ring(hover, INK.dim, 1.5);
}
function stamp(i, x, y, r) {
  const s = sprite(styleAt(i), r, hollowStatus[statusOf[i]] || supersededNode[i] === 1);
  ctx.drawImage(s.c, x - s.half, y - s.half, s.half * 2, s.half * 2);
}
function ring(i, col, w) {
  const r = Math.max(size(i), 3.5);
  ctx.save();
  ctx.translate(sx(i), sy(i));
  trace(ctx, styleAt(i)[0], r + w + 1.5);
  ctx.lineJoin = "round"; ctx.lineWidth = w; ctx.strokeStyle = col; ctx.stroke();
  ctx.restore();
}
const widths = new Map();
function short(s, max) { // by width: a Chinese sign counts two
  let w = 0, at = 0;
  for (const ch of s) { w += ch.codePointAt(0) > 0x2e7f ? 2 : 1; if (w > max) return s.slice(0, at) + "…"; at += ch.length; }
  return s;
}
function write(text, x, y, font, px, boxes, must, col) {
  ctx.font = font;
  let w = widths.get(font + text);
  if (w === undefined) { w = ctx.measureText(text).width; widths.set(font + text, w); if (widths.size > 20000) widths.clear(); }
  const x0 = x - w / 2 - 3, x1 = x + w / 2 + 3, y0 = y - px * 0.75, y1 = y + px * 0.75;
  if (x1 < 0 || y1 < 0 || x0 > W || y0 > H) return false;
  if (!boxes.free(x0, y0, x1, y1) && !must) return false;
  boxes.take(x0, y0, x1, y1);
  ctx.strokeStyle = INK.paper; ctx.lineWidth = 3.5; ctx.lineJoin = "round";
  ctx.strokeText(text, x, y);
  ctx.fillStyle = col;
  ctx.fillText(text, x, y);
  return true;
}
function boxField() { // which squares of the screen hold a label
  const S = 4, w = Math.ceil(W / S) + 1, h = Math.ceil(H / S) + 1, f = new Uint8Array(w * h);
  const over = (x0, y0, x1, y1, g) => {
    const a = Math.max(0, Math.floor(x0 / S)), b = Math.min(w - 1, Math.floor(x1 / S)), c = Math.max(0, Math.floor(y0 / S)), d = Math.min(h - 1, Math.floor(y1 / S));
    for (let y = c; y <= d; y++) for (let x = a; x <= b; x++) if (g(y * w + x)) return true;
    return false;
  };
  return { free: (a, b, c, d) => !over(a, b, c, d, p => f[p]), take: (a, b, c, d) => { over(a, b, c, d, p => { f[p] = 1; return false; }); } };
}
function labels(focus) {
  ctx.textAlign = "center"; ctx.textBaseline = "middle";
  const boxes = boxField(), font = "500 12px " + INK.font;
  const name = (i, must, max, strong) => {
    const x = sx(i), y = sy(i), d = Math.max(size(i), 3) + (i === selected ? 4 : 0), text = short(G.titles[i], max), f = strong ? "650 13px " + INK.font : font;
    return write(text, x, y + d + 10, f, 13, boxes, false, INK.ink) || write(text, x, y - d - 9, f, 13, boxes, must, INK.ink);
  };
  // Names do not cover the nodes that matter.
  if (focus || N < 400) for (const i of focus ? lit : titleRank) if (shown[i]) { const x = sx(i), y = sy(i), r = size(i) * 0.7; if (x > 0 && y > 0 && x < W && y < H) boxes.take(x - r, y - r, x + r, y + r); }
  if (selected >= 0 && shown[selected]) name(selected, true, 44, true);
  if (hover >= 0 && hover !== selected && shown[hover]) name(hover, true, 44);
  if (focus) {
    let n = 0;
    for (const i of lit) if (i !== selected && shown[i] && n < (moving ? 30 : 90) && name(i, false, 26)) n++;
    return;
  }
  // Far away communities have names, near by nodes do.
  const far = everything && N >= 400 ? Math.max(0, Math.min(1, 2.2 - cam.k / kFit / 1.6)) : 0;
  if (far > 0.02 && big.length > 1) {
    for (const c of big) {
      const px = Math.round(Math.max(12, Math.min(19, 10 + Math.sqrt(c.n) * 0.22)));
      ctx.globalAlpha = far;
      write(short(G.titles[c.head], 26), (c.x - cam.x) * cam.k + W / 2, (c.y - cam.y) * cam.k + H / 2, `650 ${px}px ${INK.font}`, px, boxes, false, INK.ink);
    }
    ctx.globalAlpha = 1;
  }
  const most = moving ? 50 : 170;
  let n = 0, tried = 0;
  for (let a = 0; a < N && n < most && tried < 2500; a++) {
    const i = titleRank[a];
    if (!shown[i]) continue;
    const r = R[i] * cam.k;
    if (r < (N < 400 ? 2.5 : 4.2) && (everything || !is(i, "person"))) continue;
    const x = sx(i), y = sy(i);
    if (x < 0 || y < 0 || x > W || y > H) continue;
    tried++;
    if (name(i, false, r > 9 ? 30 : 20)) n++;
  }
}

// ---------------------------------------------------------------- camera

let anim = null;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
function go(x, y, k) {
  k = Math.max(kFit * 0.4, Math.min(40, k));
  if (calm.matches) { cam.x = x; cam.y = y; cam.k = k; moved(); return; }
  anim = { x0: cam.x, y0: cam.y, k0: cam.k, x, y, k, t0: 0 };
  moving = true;
  paint();
}
function step(now) {
  if (!anim.t0) anim.t0 = now;
  const t = Math.min(1, (now - anim.t0) / 260), s = t * t * (3 - 2 * t);
  cam.k = anim.k0 * Math.pow(anim.k / anim.k0, s);
  cam.x = anim.x0 + (anim.x - anim.x0) * s;
  cam.y = anim.y0 + (anim.y - anim.y0) * s;
  if (t === 1) { anim = null; moved(); }
}
function fitBox(x0, y0, x1, y1, most) {
  const k = Math.min((W - 90) / Math.max(x1 - x0, 1), (H - 90) / Math.max(y1 - y0, 1), most);
  return [(x0 + x1) / 2, (y0 + y1) / 2, k];
}
// bounds are those of the map without what is folded away.
function bounds() {
  if (everything) return [minX, minY, maxX, maxY];
  const b = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < N; i++) if (passes[i] && !foldedSet[setOf[i]]) { b[0] = Math.min(b[0], X[i]); b[1] = Math.min(b[1], Y[i]); b[2] = Math.max(b[2], X[i]); b[3] = Math.max(b[3], Y[i]); }
  return b[0] <= b[2] ? b : [minX, minY, maxX, maxY];
}
function fitAll(now) {
  const f = fitBox(...bounds(), 8);
  kFit = f[2];
  if (now) { [cam.x, cam.y, cam.k] = f; anim = null; paint(); } else go(...f);
}
function fitLit() {
  if (selected < 0) return;
  let x0 = X[selected], x1 = x0, y0 = Y[selected], y1 = y0;
  for (const i of lit) { x0 = Math.min(x0, X[i]); x1 = Math.max(x1, X[i]); y0 = Math.min(y0, Y[i]); y1 = Math.max(y1, Y[i]); }
  go(...fitBox(x0, y0, x1, y1, 8));
}
function zoom(f, px, py) {
  anim = null;
  const k = Math.max(kFit * 0.4, Math.min(40, cam.k * f));
  px ??= W / 2; py ??= H / 2;
  cam.x += (px - W / 2) * (1 / cam.k - 1 / k);
  cam.y += (py - H / 2) * (1 / cam.k - 1 / k);
  cam.k = k;
  moved();
}
function pan(dx, dy) { anim = null; cam.x += dx / cam.k; cam.y += dy / cam.k; moved(); }
function reveal(i) { // show the node with its walk; move only as far as is needed
  let x0 = X[i], x1 = x0, y0 = Y[i], y1 = y0;
  if (litEdges) for (const [e, strong] of litEdges) if (strong) for (const j of [src[e], dst[e]]) {
    // What lies very far is left to the eye.
    if (Math.hypot(X[j] - X[i], Y[j] - Y[i]) * kFit > Math.min(W, H) * 0.45) continue;
    x0 = Math.min(x0, X[j]); x1 = Math.max(x1, X[j]); y0 = Math.min(y0, Y[j]); y1 = Math.max(y1, Y[j]);
  }
  const f = fitBox(x0 - 6, y0 - 6, x1 + 6, y1 + 6, Math.max(cam.k, Math.min(10, kFit * 4)));
  const at = (x, y) => [(x - cam.x) * cam.k + W / 2, (y - cam.y) * cam.k + H / 2];
  const [ax, ay] = at(x0, y0), [bx, by] = at(x1, y1);
  const inside = ax > 30 && ay > 30 && bx < W - 30 && by < H - 40;
  if (inside && f[2] < cam.k * 1.8) { moved(); return; }
  go(...f);
}

function resize() {
  const b = $("stage").getBoundingClientRect(), first = W === 1;
  W = Math.max(1, b.width); H = Math.max(1, b.height);
  const d = Math.min(2, devicePixelRatio || 1);
  if (d !== dpr) { dpr = d; sprites.clear(); }
  canvas.width = Math.round(W * dpr); canvas.height = Math.round(H * dpr);
  const was = kFit;
  kFit = fitBox(...bounds(), 8)[2];
  if (first || Math.abs(cam.k - was) < 1e-6) fitAll(true);
  paint();
}

// ---------------------------------------------------------------- pointer

const pointers = new Map();
let press = null, pinch = 0;
const local = ev => { const b = canvas.getBoundingClientRect(); return [ev.clientX - b.left, ev.clientY - b.top]; };
canvas.addEventListener("pointerdown", ev => {
  canvas.setPointerCapture(ev.pointerId);
  pointers.set(ev.pointerId, local(ev));
  if (pointers.size === 1) press = { at: local(ev), far: false };
  else { press = null; pinch = 0; }
  tip(-1);
});
canvas.addEventListener("pointermove", ev => {
  const p = local(ev);
  if (!pointers.has(ev.pointerId)) { point(p); return; }
  const last = pointers.get(ev.pointerId);
  pointers.set(ev.pointerId, p);
  if (pointers.size === 2) {
    const [a, b] = [...pointers.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (pinch) zoom(d / pinch, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
    pinch = d;
    return;
  }
  if (!press) return;
  if (!press.far && Math.hypot(p[0] - press.at[0], p[1] - press.at[1]) < 4) return;
  if (!press.far) { press.far = true; canvas.classList.add("dragging"); }
  pan(last[0] - p[0], last[1] - p[1]);
});
function release(ev) {
  pointers.delete(ev.pointerId);
  canvas.classList.remove("dragging");
  if (press && !press.far && ev.type === "pointerup") {
    const i = hit(...press.at, ev.pointerType === "touch" ? 14 : 6);
    select(i, { still: true });
  }
  if (!pointers.size) { press = null; pinch = 0; }
}
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => { if (!pointers.size) point(null); });
canvas.addEventListener("wheel", ev => {
  ev.preventDefault();
  const px = ev.deltaY * (ev.deltaMode === 1 ? 18 : ev.deltaMode === 2 ? 400 : 1);
  zoom(Math.pow(1.0016, -Math.max(-240, Math.min(240, px)) * (ev.ctrlKey ? 4 : 1)), ...local(ev));
}, { passive: false });
canvas.addEventListener("dblclick", ev => { if (hit(...local(ev), 6) < 0) zoom(2, ...local(ev)); else fitLit(); });
function point(p) {
  const i = p ? hit(...p, 5) : -1;
  if (i === hover) return;
  hover = i;
  canvas.classList.toggle("over", i >= 0);
  tip(i);
  paint();
}
function tip(i) {
  const t = $("tip");
  t.hidden = i < 0;
  if (i < 0) return;
  t.replaceChildren(el("span", { class: "k" }, labelsOf(i).join(", ") + (status(i) ? " · " + word(status(i)) : "")), short(G.titles[i], 150));
  const x = Math.min(sx(i) + 14, W - t.offsetWidth - 8), y = sy(i) + size(i) + 26;
  t.style.left = Math.max(8, x) + "px";
  t.style.top = (y + t.offsetHeight > H ? sy(i) - size(i) - t.offsetHeight - 10 : y) + "px";
}

// ---------------------------------------------------------------- selection

// walkDown is the evidence below a node as a list of {e, i, kids}; walkUp is what rests on it, up to the claims.
const walkDown = (i, left = 8) => left ? along(i, EVIDENCE).map(e => { const j = other(e, i); return { e, i: j, kids: walkDown(j, left - 1) }; }) : [];
const walkUp = (i, left = 8) => left ? against(i, EVIDENCE).map(e => { const j = other(e, i); return { e, i: j, kids: is(j, "claim") ? [] : walkUp(j, left - 1) }; }) : [];

function light() {
  lit = litEdges = null;
  if (selected < 0) { if (!everything) refilter(); return; }
  lit = new Set([selected]); litEdges = [];
  const strong = new Set();
  const mark = steps => { for (const s of steps) { if (strong.size > 4000) return; strong.add(s.e); lit.add(s.i); mark(s.kids); } };
  mark(walkDown(selected));
  if (!is(selected, "source")) mark(walkUp(selected));
  for (let e = outAt[selected]; e < outAt[selected + 1]; e++) { lit.add(dst[e]); if (!strong.has(e)) litEdges.push([e, false]); }
  for (let k = inAt[selected]; k < inAt[selected + 1]; k++) { const e = inEdge[k]; lit.add(src[e]); if (!strong.has(e)) litEdges.push([e, false]); }
  for (const e of strong) litEdges.push([e, true]);
  if (!everything) refilter();
}
function select(i, o = {}) {
  if (i === selected && !o.force) { if (i >= 0 && !o.still) reveal(i); return; }
  selected = i;
  light();
  if (i >= 0 && !o.walk) { history.length = historyAt + 1; history.push(i); historyAt = history.length - 1; }
  arrows();
  // Whoever reads in the panel stays there: the old cards go, the new heading is next.
  const reading = $("panel").contains(document.activeElement);
  tab(i >= 0 ? "details" : "people");
  details();
  $("details").scrollTop = 0;
  if (reading) ((i >= 0 && $("details").querySelector("h2")) || canvas).focus({ preventScroll: true });
  const want = i >= 0 ? "#" + encodeURIComponent(G.ids[i]) : "#";
  if (location.hash !== want && !(want === "#" && !location.hash)) { quiet = want; location.hash = want; }
  $("status").textContent = i >= 0 ? T.selected(G.titles[i]) : T.nothing;
  if (i >= 0 && !o.still) reveal(i); else paint();
}
let quiet = "";
addEventListener("hashchange", () => {
  if (location.hash === quiet || location.hash === "" && quiet === "#") { quiet = ""; return; }
  fromHash();
});
function fromHash() {
  let id = "";
  try { id = decodeURIComponent(location.hash.slice(1)); } catch { /* not ours */ }
  if (byID.has(id)) select(byID.get(id));
}
function arrows() { $("back").disabled = historyAt < 1; $("forward").disabled = historyAt >= history.length - 1; }
function travel(d) {
  if (history[historyAt + d] === undefined) return;
  historyAt += d;
  select(history[historyAt], { walk: true });
}
// walkTo goes from the selected node to the neighbour that lies best in a direction.
function walkTo(dx, dy) {
  const near = new Set();
  for (let e = outAt[selected]; e < outAt[selected + 1]; e++) if (typeOn[typ[e]]) near.add(dst[e]);
  for (let k = inAt[selected]; k < inAt[selected + 1]; k++) if (typeOn[typ[inEdge[k]]]) near.add(src[inEdge[k]]);
  const best = from => {
    let b = -1, bs = Infinity;
    for (const j of from) {
      if (j === selected || !shown[j]) continue;
      const x = X[j] - X[selected], y = Y[j] - Y[selected], d = Math.hypot(x, y) || 1e-6, along = (x * dx + y * dy) / d;
      if (along < 0.35) continue;
      const s = d * (2.2 - along);
      if (s < bs || s === bs && j < b) { bs = s; b = j; }
    }
    return b;
  };
  let j = best(near);
  if (j < 0) {
    const around = [];
    nodesIn(X[selected] - 60, Y[selected] - 60, X[selected] + 60, Y[selected] + 60, n => around.push(n));
    j = best(around);
  }
  if (j >= 0) select(j);
}

// ---------------------------------------------------------------- details

const word = s => T.status[s] || s;
function pill(i) {
  const s = status(i) || (gone(i) ? "deprecated" : "");
  return s && el("span", { class: "pill " + (s in EN.status ? s : "") }, (s === "active" ? "● " : s === "deprecated" ? "○ " : "◐ ") + word(s));
}
function lines(e) { // path:first-last of an IN_SOURCE edge
  const p = props ? props.edge(e) : {}, ev = props ? props.node(src[e]) : {};
  const a = p.start_line ?? ev.start_line, b = p.end_line ?? ev.end_line;
  const path = (props && props.node(dst[e]).path) || G.titles[dst[e]];
  return path + (a == null ? "" : b == null || b === a ? ":" + a : `:${a}-${b}`);
}
const show = v => v === null ? "null" : typeof v === "string" ? v : Array.isArray(v) && v.every(x => typeof x !== "object") ? v.join(", ") : JSON.stringify(v);
const when = s => typeof s === "string" ? s.replace("T", " ").replace(/:\d\d(\.\d+)?(?=(Z|[+-]\d\d:?\d\d)?$)/, "").replace(/(Z|[+-]\d\d:?\d\d)$/, "") : "";
// The time of a node as the data writes it; in UTC until the properties are read.
function clock(i) {
  if (!timeOf[i]) return "";
  const p = props ? props.node(i) : {}, k = G.labelSets[setOf[i]].flatMap(l => G.looks[l].when || []).find(k => p[k]);
  return when(k ? p[k] : new Date(timeOf[i] * 1000).toISOString());
}
function full(i) { // the text a node stands for
  const p = props ? props.node(i) : {};
  const k = mainLabel[setOf[i]], c = k >= 0 && (is(i, "memory") || is(i, "turn")) && G.looks[k].caption;
  return c && typeof p[c] === "string" ? p[c] : G.titles[i];
}
function caption(i) {
  const p = props ? props.node(i) : {};
  if (is(i, "turn")) return `${p.role_name || p.role_type || labelsOf(i)[0]} · ${p.conv_id ?? ""} ${T === ZH ? `第 ${p.turn_id ?? "?"} 轮` : "turn " + (p.turn_id ?? "?")}`;
  return labelsOf(i).join(", ") || "Node";
}
function card(i, e) {
  if (e !== undefined && is(i, "source") && EVIDENCE[typ[e]] && dst[e] === i) {
    return el("button", { type: "button", class: "card src" + (i === selected ? " here" : ""), "data-node": G.ids[i], "data-kind": "source", on: { click: () => select(i) } }, swatch(styleAt(i)), el("code", {}, lines(e)));
  }
  const time = clock(i);
  return el("button", { type: "button", class: "card" + (i === selected ? " here" : "") + (gone(i) ? " gone" : ""), "data-node": G.ids[i], "data-kind": labelsOf(i)[0] || "", on: { click: () => select(i) } },
    el("span", { class: "cap" }, swatch(styleAt(i), gone(i)), caption(i), time && el("span", { class: "r" }, time)), el("span", { class: "body" }, full(i)));
}
function stepsList(steps, up, depth = 0, cap = 30) {
  const ol = el("ol", depth ? {} : { class: "walk" });
  const add = (from, to) => {
    for (const s of steps.slice(from, to)) {
      const li = el("li", { class: "step" }, card(s.i, s.e));
      if (s.kids.length) li.append(stepsList(s.kids, up, depth + 1, 12));
      else if (!up && s.i !== selected) {
        const miss = is(s.i, "memory") ? T.noTurn : is(s.i, "turn") ? T.noLines : "";
        if (miss) li.append(el("p", { class: "up" }, miss));
      }
      ol.append(li);
    }
    if (steps.length > to) {
      const li = el("li", {}, el("button", { type: "button", class: "link", on: { click: () => { li.remove(); add(to, to + 200); } } }, T.more(steps.length - to)));
      ol.append(li);
    }
  };
  add(0, cap);
  return ol;
}
const sect = (head, n, ...kids) => el("section", { class: "sect" }, el("h3", {}, head, n != null && el("span", { class: "n" }, fmt(n))), ...kids);
async function copy(text, b) {
  try { await navigator.clipboard.writeText(text); b.textContent = T.copied; setTimeout(() => { b.textContent = T.copy; }, 1200); }
  catch { getSelection().selectAllChildren(b.previousElementSibling); }
}
function details() {
  const box = $("details"), i = selected;
  if (i < 0) { box.replaceChildren(el("p", { class: "up" }, T.hello)); return; }
  const p = props ? props.node(i) : {};
  const kids = [el("p", { class: "kind" }, swatch(styleAt(i), gone(i)), labelsOf(i).join(", ") || "Node", pill(i)),
    el("h2", { tabindex: "-1", class: gone(i) ? "gone" : null }, full(i)),
    el("p", { class: "idrow" }, el("code", {}, G.ids[i]), el("button", { type: "button", class: "link", on: { click: ev => copy(G.ids[i], ev.currentTarget) } }, T.copy))];
  const next = along(i, CHANGE), prev = against(i, CHANGE);
  if (next.length) kids.push(sect(T.changedTo, null, ...next.map(e => card(other(e, i)))));
  if (prev.length) kids.push(sect(T.was, null, ...prev.map(e => card(other(e, i)))));
  kids.push(...known(i));
  const down = walkDown(i);
  if (is(i, "turn")) kids.push(...talk(i));
  if (down.length) kids.push(sect(T.evidence, down.length > 1 ? down.length : null, stepsList(down, false)));
  else if (is(i, "claim")) kids.push(sect(T.evidence, null, el("p", { class: "up" }, T.noEvidence)));
  const up = walkUp(i);
  if (is(i, "source") && props) up.sort((a, b) => (props.edge(a.e).start_line ?? 0) - (props.edge(b.e).start_line ?? 0));
  if (up.length) kids.push(sect(T.above, up.length, stepsList(up, true)));
  const about = is(i, "person") ? [] : along(i, ABOUT).map(e => ({ e: undefined, i: other(e, i), kids: [] })).filter(s => is(s.i, "claim"));
  if (about.length) kids.push(sect(T.claimsAbout, about.length, stepsList(about, true)));
  kids.push(neighbours(i));
  if (!props) kids.push(el("p", { class: "up" }, T.loading));
  else if (Object.keys(p).length) {
    const dl = el("dl", { class: "props" });
    for (const [k, v] of Object.entries(p)) dl.append(el("dt", {}, k), el("dd", {}, show(v)));
    kids.push(sect(T.props, null, dl));
  }
  box.replaceChildren(...kids.filter(Boolean));
}
function talk(i) { // the turns around a turn
  const before = [], after = [];
  for (let at = i; before.length < 2;) { const e = against(at, NEXT)[0]; if (e === undefined || before.includes(other(e, at))) break; at = other(e, at); before.unshift(at); }
  for (let at = i; after.length < 2;) { const e = along(at, NEXT)[0]; if (e === undefined || after.includes(other(e, at))) break; at = other(e, at); after.push(at); }
  if (!before.length && !after.length) return [];
  const box = el("div", { class: "talk" });
  for (const j of [...before, i, ...after]) {
    const p = props ? props.node(j) : {};
    box.append(el("button", { type: "button", class: j === i ? "here" : null, "aria-current": j === i ? "true" : null, on: { click: () => select(j) } },
      el("span", { class: "who" }, `${p.role_name || ""} ${p.turn_id ?? ""}`), el("br"), short(full(j), 160)));
  }
  return [sect(T.talk, null, box)];
}
function neighbours(i) {
  const groups = new Map();
  const add = (key, e, j) => { if (!groups.has(key)) groups.set(key, []); groups.get(key).push([e, j]); };
  for (let e = outAt[i]; e < outAt[i + 1]; e++) add("→ " + G.types[typ[e]], e, dst[e]);
  for (let k = inAt[i]; k < inAt[i + 1]; k++) { const e = inEdge[k]; add("← " + G.types[typ[e]], e, src[e]); }
  if (!groups.size) return null;
  const kids = [...groups].sort((a, b) => a[1].length - b[1].length || (a[0] < b[0] ? -1 : 1)).map(([key, list]) => {
    const g = el("div", { class: "ngroup" }, el("h4", {}, key, el("span", {}, fmt(list.length))));
    const more = (from, to) => {
      for (const [e, j] of list.slice(from, to)) {
        const hint = props ? Object.entries(props.edge(e)).map(([k, v]) => k + ": " + show(v)).join("\n") : "";
        g.append(el("button", { type: "button", class: "nrow", title: G.titles[j] + (hint ? `\n\n${T.edgeProps}\n${hint}` : ""), "data-node": G.ids[j],
          on: { click: () => select(j), pointerenter: () => { hover = j; paint(); }, pointerleave: () => { hover = -1; paint(); } } }, swatch(styleAt(j), gone(j)), el("span", { class: "t" }, short(G.titles[j], 90))));
      }
      if (list.length > to) { const b = el("button", { type: "button", class: "link", on: { click: () => { b.remove(); more(to, to + 200); } } }, T.more(list.length - to)); g.append(b); }
    };
    more(0, 6);
    return g;
  });
  return sect(T.neighbours, degree(i), ...kids);
}
// ---------------------------------------------------------------- changes

let changeList = null;
function findChanges() {
  const list = [], has = new Set();
  for (let e = 0; e < M; e++) if (CHANGE[typ[e]]) { list.push({ old: src[e], now: dst[e], e }); has.add(src[e]); }
  for (let i = 0; i < N; i++) if (status(i) === "deprecated" && !has.has(i)) list.push({ old: i, now: -1, e: -1 });
  for (const c of list) {
    c.t = c.now >= 0 && timeOf[c.now] || timeOf[c.old];
    c.at = c.t ? clock(c.now >= 0 && timeOf[c.now] ? c.now : c.old) : "";
  }
  // The newest first; unknown times are 0 and sort last.
  list.sort((a, b) => b.t - a.t || a.old - b.old);
  return list;
}
function changes() {
  const box = $("changes");
  changeList = findChanges();
  if (!changeList.length) { box.replaceChildren(el("p", { class: "up" }, T.noChanges)); return; }
  const ol = el("ol", { class: "time" });
  const add = (from, to) => {
    for (const c of changeList.slice(from, to)) {
      const reason = c.e >= 0 && props ? props.edge(c.e).reason : "";
      const li = el("li", {}, el("div", { class: "when" }, el("time", {}, c.at || T.noTime)), card(c.old));
      li.append(el("p", { class: "arrow" }, svg(14, 14, "M7 2v10M3.5 8.5 7 12l3.5-3.5", {}), c.now >= 0 ? T.changedTo + (reason ? " · " + show(reason) : "") : T.withdrawn));
      if (c.now >= 0) li.append(card(c.now));
      ol.append(li);
    }
    if (changeList.length > to) { const li = el("li", {}, el("button", { type: "button", class: "link", on: { click: () => { li.remove(); add(to, to + 100); } } }, T.more(changeList.length - to))); ol.append(li); }
  };
  add(0, 40);
  box.replaceChildren(ol);
}
const TABS = ["people", "list", "changes", "details"];
function tab(name) {
  for (const t of TABS) {
    $(t).hidden = t !== name;
    $("tab-" + t).setAttribute("aria-selected", String(t === name));
    $("tab-" + t).tabIndex = t === name ? 0 : -1;
  }
  if (name === "list") rows();
}
TABS.forEach((a, k) => {
  const next = d => { const b = TABS[(k + d + TABS.length) % TABS.length]; tab(b); $("tab-" + b).focus(); };
  $("tab-" + a).addEventListener("click", () => tab(a));
  $("tab-" + a).addEventListener("keydown", ev => { const d = { ArrowLeft: -1, ArrowRight: 1 }[ev.key]; if (d) { ev.preventDefault(); ev.stopPropagation(); next(d); } });
});

// ---------------------------------------------------------------- filters

function filters() {
  const box = $("filters");
  box.replaceChildren(...narrow());
  const nodeCount = new Map(), typeCount = new Uint32Array(G.types.length), statusCount = new Uint32Array(G.statuses.length);
  for (let i = 0; i < N; i++) { for (const l of G.labelSets[setOf[i]]) nodeCount.set(l, (nodeCount.get(l) || 0) + 1); statusCount[statusOf[i]]++; }
  for (let e = 0; e < M; e++) typeCount[typ[e]]++;
  const group = (head, on, rows, plain) => {
    if (!rows.length) return;
    const allOn = () => rows.every(r => on[r.k]);
    const sec = el("section", { "aria-label": head });
    const toggle = el("button", { type: "button", class: "link", on: { click: () => { const v = !allOn(); for (const r of rows) on[r.k] = v; sync(); } } });
    sec.append(el("div", { class: "fhead" }, el("h2", {}, head), toggle));
    const lines = rows.map(r => {
      const check = el("input", { type: "checkbox", on: { change: () => { on[r.k] = check.checked; sync(); } } });
      const row = el("div", { class: "frow" + (plain ? " plain" : "") }, el("label", { title: r.name }, check, r.sw && r.sw(), el("span", { class: "name" }, r.name), el("span", { class: "n" }, fmt(r.n))),
        el("button", { type: "button", class: "only", "aria-label": `${T.only}: ${r.name}`, on: { click: () => { const lone = on[r.k] && rows.every(o => o === r || !on[o.k]); for (const o of rows) on[o.k] = lone || o === r; sync(); } } }, T.only));
      sec.append(row);
      return () => { check.checked = on[r.k]; row.classList.toggle("off", !on[r.k]); };
    });
    const sync = quietly => { for (const f of lines) f(); toggle.textContent = allOn() ? T.none : T.all; if (quietly !== true) refilter(); };
    sync(true);
    box.append(sec);
  };
  group(T.labels, labelOn, G.labels.map((name, k) => ({ name, k, n: nodeCount.get(k) || 0, sw: () => swatch(styleOf[k]) })).sort((a, b) => rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1)));
  if (G.statuses.some(s => s !== "")) group(T.statuses, statusOn, G.statuses.map((s, k) => ({ name: s ? word(s) : T.noStatus, k, n: statusCount[k], sw: () => swatch(["disc", "#76808c", "#98a4b1"], hollowStatus[k]) })));
  group(T.types, typeOn, G.types.map((name, k) => ({ name, k, n: typeCount[k] })).sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1)), true);
}
function toggleFilters(v) {
  const m = document.querySelector("main"), off = v === undefined ? !m.classList.contains("no-filters") : !v;
  m.classList.toggle("no-filters", off);
  $("toggle-filters").setAttribute("aria-expanded", String(!off));
}

// ---------------------------------------------------------------- search

const fold = s => s.normalize("NFKC").toLowerCase();
let titleFold = null, bodyFold = null;
function body(i) { // the text of all properties, folded
  const p = props.node(i), a = [];
  for (const v of Object.values(p)) if (v !== null && v !== true && v !== false) a.push(typeof v === "object" ? JSON.stringify(v) : v);
  return fold(a.join("\n"));
}
const importance = new Float32Array(N);
titleRank.forEach((i, at) => { importance[i] = 1 - at / Math.max(1, N); });
const boundary = c => !/[\p{L}\p{N}]/u.test(c) || /\p{Script=Han}/u.test(c);
function find(text) {
  const words = fold(text).trim().split(/\s+/).filter(Boolean), q = words.join(" ");
  if (!q) return [];
  titleFold ??= G.titles.map(fold);
  if (props && !bodyFold) { bodyFold = new Array(N); }
  const hits = [];
  for (let i = 0; i < N; i++) {
    if (!passes[i]) continue;
    const t = titleFold[i], at = t.indexOf(q);
    let s = 0;
    if (at >= 0) s = t.length === q.length ? 100 : at === 0 ? 80 : boundary(t[at - 1]) ? 65 : 50;
    else if (words.length > 1 && words.every(w => t.includes(w))) s = 45;
    else if (fold(G.ids[i]).includes(q)) s = 35;
    else if (props) {
      const b = bodyFold[i] ??= body(i);
      if (b.includes(q)) s = 25; else if (words.length > 1 && words.every(w => b.includes(w))) s = 20;
    }
    if (s) hits.push([s + 8 * importance[i] + (isClaimSet[setOf[i]] ? 6 : 0) - Math.min(6, t.length / 40), i]);
  }
  hits.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  return hits.map(h => h[1]);
}
let hits = [], active = -1, findTimer = 0, searched = "";
const q = $("q"), drop = $("drop"), list = $("hits");
const MOST = 40;
function marked(text, query) {
  const t = fold(text), w = fold(query).trim(), at = t.length === text.length && w ? t.indexOf(w) : -1;
  const span = el("span", { class: "t" });
  // Keep the match in sight.
  const from = at > 34 ? at - 20 : 0, s = (from ? "…" : "") + text.slice(from, from + 120), k = at < 0 ? -1 : at - from + (from ? 1 : 0);
  if (k < 0) span.append(s); else span.append(s.slice(0, k), el("mark", {}, s.slice(k, k + w.length)), s.slice(k + w.length));
  return span;
}
function search() {
  hits = find(searched = q.value);
  active = hits.length ? 0 : -1;
  const open = q.value.trim() !== "";
  drop.hidden = !open;
  q.setAttribute("aria-expanded", String(open));
  if (!open) return;
  $("hit-count").textContent = hits.length > MOST ? T.firstHits(MOST, fmt(hits.length)) : T.hits(hits.length);
  list.replaceChildren(...hits.slice(0, MOST).map((i, k) => el("li", { id: "hit-" + k, role: "option", "data-node": G.ids[i], on: { pointerdown: ev => { ev.preventDefault(); take(k); }, pointermove: () => { if (active !== k) { active = k; activate(false); } } } },
    swatch(styleAt(i), gone(i)), marked(G.titles[i], q.value), el("span", { class: "k" }, labelsOf(i).join(", ")))));
  activate(true);
}
function activate(scroll) {
  [...list.children].forEach((li, k) => { li.setAttribute("aria-selected", String(k === active)); if (k === active && scroll) li.scrollIntoView({ block: "nearest" }); });
  if (active >= 0) q.setAttribute("aria-activedescendant", "hit-" + active); else q.removeAttribute("aria-activedescendant");
}
function closeSearch() { drop.hidden = true; q.setAttribute("aria-expanded", "false"); q.removeAttribute("aria-activedescendant"); }
function take(k) {
  if (hits[k] === undefined) return;
  closeSearch();
  canvas.focus({ preventScroll: true });
  select(hits[k]);
}
q.addEventListener("input", () => { clearTimeout(findTimer); findTimer = setTimeout(search, N > 15000 ? 160 : 40); });
q.addEventListener("focus", () => { if (q.value.trim()) search(); });
q.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== q) closeSearch(); }, 80));
q.addEventListener("keydown", ev => {
  if (ev.isComposing) return;
  const n = Math.min(hits.length, MOST);
  if (ev.key === "ArrowDown" && n) { active = (active + 1) % n; activate(true); }
  else if (ev.key === "ArrowUp" && n) { active = (active + n - 1) % n; activate(true); }
  else if (ev.key === "Enter") { clearTimeout(findTimer); if (drop.hidden || q.value !== searched) search(); take(active); }
  else if (ev.key === "Escape") { if (!drop.hidden) closeSearch(); else { q.value = ""; canvas.focus({ preventScroll: true }); } }
  else return;
  ev.preventDefault(); ev.stopPropagation();
});

// ---------------------------------------------------------------- keys, buttons

function help() {
  const d = $("help"), dl = el("dl", {});
  for (const [keys, what] of T.keys) dl.append(el("dt", {}, ...keys.map(k => el("kbd", {}, k))), el("dd", {}, what));
  d.replaceChildren(el("h2", {}, T.help.replace(/ \(.*/, "")), dl, el("div", { class: "foot" }, T.foot, el("button", { type: "button", class: "btn", autofocus: true, on: { click: () => d.close() } }, T.close)));
  d.showModal();
}
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
addEventListener("keydown", ev => {
  if (ev.defaultPrevented || ev.isComposing || ev.ctrlKey || ev.metaKey || ev.altKey || $("help").open) return;
  const typing = ev.target === q, onMap = ev.target === canvas || ev.target === document.body;
  if (typing) return;
  const a = ARROWS[ev.key];
  if (a) {
    if (!onMap) return;
    if (selected < 0 || ev.shiftKey) pan(a[0] * 70, a[1] * 70); else walkTo(...a);
  } else switch (ev.key) {
    case "/": q.focus(); q.select(); break;
    case "?": help(); break;
    case "+": case "=": zoom(1.4); break;
    case "-": case "−": zoom(1 / 1.4); break;
    case "0": fitAll(); break;
    case "f": fitLit(); break;
    case "t": theme(!dark); break;
    case "l": language(!zh); break;
    case "g": toggleFilters(); break;
    case "c": tab("changes"); $("changes").focus(); break;
    case "p": tab("people"); $("people").focus(); break;
    case "i": tab("list"); $("list").focus(); break;
    case "e": level(!everything); break;
    case "Backspace": travel(-1); break;
    case "Enter":
      if (!onMap || selected < 0) return;
      tab("details"); $("details").querySelector("h2")?.focus(); break;
    case "Escape":
      if (!onMap) { canvas.focus({ preventScroll: true }); if (selected >= 0) tab("details"); } else if (selected >= 0) select(-1);
      break;
    default: return;
  }
  ev.preventDefault();
});
$("back").addEventListener("click", () => travel(-1));
$("forward").addEventListener("click", () => travel(1));
$("zoom-in").addEventListener("click", () => zoom(1.5));
$("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
$("zoom-fit").addEventListener("click", () => fitAll());
$("help-open").addEventListener("click", help);
$("help").addEventListener("click", ev => { if (ev.target === $("help")) $("help").close(); });
$("toggle-filters").addEventListener("click", () => toggleFilters());
$("lang").addEventListener("click", () => language(!zh));
$("theme").addEventListener("click", () => theme(!dark));

function theme(d, keep = true) {
  dark = d;
  document.documentElement.dataset.theme = d ? "dark" : "light";
  if (keep) store("theme", d ? "dark" : "light");
  readInk();
  redo();
}
function language(z, keep = true) {
  zh = z; T = z ? ZH : EN;
  if (keep) store("lang", z ? "zh" : "en");
  document.documentElement.lang = z ? "zh-CN" : "en";
  const name = (id, text, aria) => { const e = $(id); e.title = text; e.setAttribute("aria-label", aria || text.replace(/ \(.*/, "")); };
  name("back", T.back); name("forward", T.forward); name("theme", T.theme); name("help-open", T.help); name("lang", T.langTitle); name("toggle-filters", T.filters);
  name("zoom-in", T.zoomIn); name("zoom-out", T.zoomOut); name("zoom-fit", T.fit);
  $("lang").textContent = T.lang;
  canvas.setAttribute("aria-label", T.map);
  q.placeholder = T.search; q.setAttribute("aria-label", T.search);
  list.setAttribute("aria-label", T.search); $("filters").setAttribute("aria-label", T.filters.replace(/ \(.*/, ""));
  $("title").textContent = G.title;
  $("counts").textContent = [T.nodes(N), T.edges(M), G.omitted ? T.omitted(G.omitted) : ""].filter(Boolean).join(" · ");
  for (const t of ["people", "list", "details"]) $("tab-" + t).textContent = T[t];
  redo();
}
function redo() {
  filters(); details(); changes(); people(); rows();
  $("tab-changes").replaceChildren(T.changes, el("span", { class: "n" }, fmt(changeList.length)));
  notice(); paint();
}
function notice() { $("notice").textContent = N === 0 ? T.empty : !anyShown ? T.hidden : ""; }
let sayTimer = 0;
function say() { clearTimeout(sayTimer); sayTimer = setTimeout(() => { if (selected < 0) $("status").textContent = T.inView(seen); }, 400); }

