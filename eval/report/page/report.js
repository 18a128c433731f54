"use strict";
(async () => {
// ---------------------------------------------------------------- words

const EN = {
  search: "Search questions, golds, answers, ids", system: "every system", dataset: "every data set", category: "every category", verdict: "every verdict", hop: "lost anywhere", cause: "any cause", scope: "which answers",
  embedded: n => `${fmt(n)} drawn and failed answers`, everything: n => `all ${fmt(n)} answers`, clear: "Clear", more: "Show more",
  count: (n, of) => n === of ? (n === 1 ? "1 answer" : `${fmt(n)} answers`) : `${fmt(n)} of ${fmt(of)} answers`, searching: (n, of) => `searching ${fmt(n)} of ${fmt(of)}…`, atLeast: n => `the first ${fmt(n)} answers`, searchAll: n => `search all ${fmt(n)}`,
  pick: "Pick an answer to see what the memory showed, how it was graded and where it was lost.", loading: "Loading…", none: "No answer matches.",
  lost: f => `Cannot load ${f}. The side files stand in the folder report_files beside this page: keep both together.`,
  verdicts: { right: "right", wrong: "wrong", unscored: "unscored", ungraded: "not graded" },
  hops: { ingest: "not ingested", store: "not stored", altered_stored: "altered when stored", overwrite: "overwritten", retrieve: "not retrieved", altered_retrieved: "altered when retrieved", context: "cut from the context", altered_context: "altered in the context", read: "reader missed it", judge: "judge erred", gold: "gold is wrong", opaque: "cannot be told" },
  causes: { miss: "miss", conflict: "conflict", temporal: "temporal", hallucination: "hallucination", overload: "overload", generation: "generation" },
  question: "Question", gold: "Gold", golds: "Accepted golds", wrong: "Known wrong answer", answer: "Answer", empty: "(nothing)", asOf: "Asked as of", errata: "Correction of the gold", abstain: "cannot be answered",
  graded: "Verdicts", where: "Where it was lost", hits: (n, k) => `Retrieved (${n}${k ? " of k " + k : ""})`, below: "Gold below k, at rank", evidence: "Gold evidence", context: "Context shown to the reader", facts: "Facts of this answer", error: "Error", noContext: "No context was recorded.", noHits: "Nothing was retrieved.",
  isGold: "gold", cut: "not whole in the context", rank: "rank", score: "score", by: "by", corrected: "corrected gold", outcome: "outcome", reader: "answered by", time: "retrieval, answer", tokens: "tokens in, out", ids: "shown by", same: "this question in every run", beside: "side by side with", alone: "this system alone", notThere: s => `${s} was not asked this question.`, marked: "Difference", sort: "sort", repeat: "repeat",
  keys: ["search", "next answer", "previous answer", "light or dark", "language"],
};
const ZH = {
  search: "搜索问题、标准答案、回答、编号", system: "全部系统", dataset: "全部数据集", category: "全部类别", verdict: "全部结论", hop: "任意丢失环节", cause: "任意原因", scope: "范围",
  embedded: n => `抽样与失败的 ${fmt(n)} 个回答`, everything: n => `全部 ${fmt(n)} 个回答`, clear: "清除", more: "显示更多",
  count: (n, of) => n === of ? `${fmt(n)} 个回答` : `${fmt(of)} 个回答中的 ${fmt(n)} 个`, searching: (n, of) => `正在搜索 ${fmt(n)} / ${fmt(of)}…`, atLeast: n => `前 ${fmt(n)} 个回答`, searchAll: n => `搜索全部 ${fmt(n)} 个`,
  pick: "选择一个回答，查看记忆给出了什么、如何评分、丢失在哪里。", loading: "正在读取…", none: "没有符合的回答。",
  lost: f => `无法读取 ${f}。附属文件在本页旁边的 report_files 文件夹中，请放在一起。`,
  verdicts: { right: "对", wrong: "错", unscored: "未评分", ungraded: "未评" },
  hops: { ingest: "未摄入", store: "未存储", altered_stored: "存储时被改动", overwrite: "被覆盖", retrieve: "未检索到", altered_retrieved: "检索时被改动", context: "被截出上下文", altered_context: "上下文中被改动", read: "阅读器未用上", judge: "评判出错", gold: "标准答案有误", opaque: "无法判断" },
  causes: { miss: "缺失", conflict: "冲突", temporal: "时间", hallucination: "幻觉", overload: "过载", generation: "生成" },
  question: "问题", gold: "标准答案", golds: "可接受的答案", wrong: "已知的错误答案", answer: "回答", empty: "（空）", asOf: "提问时间", errata: "答案修正", abstain: "无法回答",
  graded: "评分", where: "丢失在哪里", hits: (n, k) => `检索到的记忆（${n}${k ? "，k " + k : ""}）`, below: "标准证据排在 k 之后，名次", evidence: "标准证据", context: "给阅读器的上下文", facts: "此回答的情况", error: "错误", noContext: "没有记录上下文。", noHits: "没有检索到任何内容。",
  isGold: "标准证据", cut: "未完整进入上下文", rank: "名次", score: "分数", by: "评分者", corrected: "修正后的答案", outcome: "结果", reader: "回答者", time: "检索、回答用时", tokens: "输入、输出词元", ids: "见于", same: "此问题的所有回答", beside: "并排比较", alone: "只看此系统", notThere: s => `没有问过 ${s} 这个问题。`, marked: "差异", sort: "排序", repeat: "重复",
  keys: ["搜索", "下一个回答", "上一个回答", "浅色或深色", "语言"],
};
const stored = k => { try { return localStorage.getItem("membench." + k); } catch { return null; } };
const store = (k, v) => { try { localStorage.setItem("membench." + k, v); } catch { /* private window */ } };
const root = document.documentElement;
const chosen = stored("lang") || (navigator.language || "").toLowerCase().slice(0, 2);
let zh = chosen === "zh" || chosen !== "en" && root.lang.startsWith("zh");
let T = zh ? ZH : EN;
const fmt = n => n.toLocaleString(zh ? "zh-CN" : "en-US");

// ---------------------------------------------------------------- elements

const $ = id => document.getElementById(id);
// el makes an element. Text only ever goes in as text nodes.
function el(tag, attrs, ...kids) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) if (v !== false && v != null) e.setAttribute(k, v);
  e.append(...kids.filter(k => k != null && k !== false));
  return e;
}

// ---------------------------------------------------------------- data

async function unpack(text) {
  let bytes;
  if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(text);
  else {
    const s = atob(text);
    bytes = new Uint8Array(s.length);
    for (let i = 0; i < s.length; i++) bytes[i] = s.charCodeAt(i);
  }
  const out = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(out).text());
}
const D = await unpack($("data").textContent);
$("data").remove();
const names = { system: D.systems, dataset: D.datasets, category: D.categories, verdict: D.verdicts, hop: D.hops, cause: D.causes };
const column = { system: "s", dataset: "d", category: "c", verdict: "v", hop: "h", cause: "u" };
const rowsOf = r => r && r.s ? r.s.length : 0;

// A side file is a script that hands over its data: a page opened from disk may load
// scripts, and nothing else. The newest few stay in memory.
const waiting = new Map(), kept = new Map();
window.membenchSide = (name, data) => { const w = waiting.get(name); if (w) w(data); };
function side(name) {
  if (kept.has(name)) {
    const p = kept.get(name);
    kept.delete(name);
    kept.set(name, p);
    return p;
  }
  const p = new Promise((done, fail) => {
    const s = document.createElement("script");
    waiting.set(name, data => unpack(data).then(done, fail));
    s.onload = () => { s.remove(); waiting.delete(name); };
    s.onerror = () => { s.remove(); waiting.delete(name); kept.delete(name); fail(new Error(T.lost("report_files/" + D.folder + "/" + name + ".js"))); };
    s.src = "report_files/" + D.folder + "/" + name + ".js";
    document.head.append(s);
  });
  kept.set(name, p);
  if (kept.size > 24) kept.delete(kept.keys().next().value);
  return p;
}
const pad = (n, w) => String(n).padStart(w, "0");

// ---------------------------------------------------------------- filter

const filters = ["dataset", "system", "category", "verdict", "hop", "cause"];
let F = { q: "", all: false };
const page = 100;
let run = 0;      // the search that counts; older ones stop
let found = [];   // {rows, i, at}
let shown = 0, done = true, scanned = 0, open = -1;

const terms = () => F.q.toLowerCase().split(/\s+/).filter(Boolean);
function matcher() {
  const want = filters.filter(f => F[f]).map(f => [column[f], names[f].indexOf(F[f])]);
  const t = terms();
  return {
    file: x => want.every(([c, v]) => x[c].includes(v)),
    row: (r, i) => want.every(([c, v]) => r[c][i] === v) && (t.length === 0 || (s => t.every(x => s.includes(x)))((r.q[i] + "\n" + r.g[i] + "\n" + r.a[i] + "\n" + r.k[i] + "\n" + r.id[i]).toLowerCase())),
  };
}

// search fills found: from what is embedded, or from all index files one by one. It
// stops when it has enough for the list, and goes on when more is asked for.
async function search(want) {
  const mine = ++run, m = matcher();
  if (!F.all || !D.folder) {
    found = [];
    for (let i = 0; i < rowsOf(D.rows); i++) if (m.row(D.rows, i)) found.push({ rows: D.rows, i, at: D.rows.at[i], record: i });
    done = true;
    list();
    return;
  }
  found = []; done = false; scanned = 0;
  for (let f = 0; f < D.index.length; f++) {
    const x = D.index[f];
    if (m.file(x)) {
      let r;
      try { r = await side("index-" + pad(f, 5)); } catch (e) { if (mine === run) { done = true; count(e.message); } return; }
      if (mine !== run) return;
      for (let i = 0; i < x.n; i++) if (m.row(r, i)) found.push({ rows: r, i, at: x.first + i });
    }
    scanned = x.first + x.n;
    if (found.length >= want) { done = f === D.index.length - 1; break; }
    if (f % 4 === 3) { list(); await new Promise(r => setTimeout(r)); if (mine !== run) return; }
    done = f === D.index.length - 1;
  }
  list();
}

const verdictOf = x => D.verdicts[x.rows.v[x.i]], hopOf = x => D.hops[x.rows.h[x.i]];
function item(x) {
  const v = verdictOf(x), h = hopOf(x), r = x.rows, i = x.i;
  const s = el("span", { class: "s" }, el("span", { class: "v " + v }, T.verdicts[v]), " · ", [D.systems[r.s[i]], D.datasets.length > 1 ? D.datasets[r.d[i]] : "", D.categories[r.c[i]], h && (T.hops[h] || h), r.r[i] ? T.repeat + " " + r.r[i] : ""].filter(Boolean).join(" · "));
  const a = el("a", { href: "#answer=" + x.at, "data-at": x.at, "aria-current": x.at === open ? "true" : false }, el("span", { class: "t" }, r.q[i] || r.id[i]), s);
  return el("li", {}, a);
}
function count(fault) {
  const c = $("count");
  c.replaceChildren();
  if (fault) { c.append(fault); return; }
  const of = F.all ? D.total : rowsOf(D.rows);
  c.append(found.length === 0 && done ? T.none : done ? T.count(found.length, of) : T.atLeast(found.length) + (scanned < D.total ? " · " + T.searching(scanned, D.total) : ""));
  if (!F.all && D.folder) {
    const b = el("button", { type: "button" }, T.searchAll(D.total));
    b.onclick = () => go({ ...F, all: true });
    c.append(b);
  }
}
function list(keep) {
  if (!keep) shown = 0;
  const upTo = Math.max(shown, Math.min(found.length, keep ? shown + page : page));
  if (!keep) $("list").replaceChildren();
  for (; shown < upTo; shown++) $("list").append(item(found[shown]));
  $("more").hidden = done && shown >= found.length;
  count();
}
$("more").onclick = async () => {
  const before = shown;
  if (shown + page > found.length && !done) {
    await search(found.length + 10 * page);
    $("list").replaceChildren();
    shown = 0;
    while (shown < Math.min(found.length, before + page)) $("list").append(item(found[shown++]));
    $("more").hidden = done && shown >= found.length;
  } else list(true);
  $("list").children[before]?.firstChild.focus();
};

// ---------------------------------------------------------------- one answer

async function record(x) {
  if (x.record != null) return D.records[x.record];
  const i = D.rows.at ? D.rows.at.indexOf(x.at) : -1;
  if (i >= 0) return D.records[i];
  return (await side("answers-" + pad(x.rows.f[x.i], 6)))[x.rows.i[x.i]];
}
// rowAt finds a row by its number in the run.
async function rowAt(at) {
  const i = (D.rows.at || []).indexOf(at);
  if (i >= 0) return { rows: D.rows, i, at, record: i };
  const f = D.index.findIndex(x => at >= x.first && at < x.first + x.n);
  if (f < 0) return null;
  return { rows: await side("index-" + pad(f, 5)), i: at - D.index[f].first, at };
}
const ref = e => e.conv_id + ":" + e.turn_id;
const ms = v => v == null ? "–" : v >= 1000 ? (v / 1000).toFixed(1) + " s" : v >= 10 ? v.toFixed(0) + " ms" : v.toPrecision(2) + " ms";
function section(title, ...kids) { return [el("h4", {}, title), ...kids]; }
function pairs(list) {
  const d = el("dl");
  for (const [k, v] of list) if (v !== "" && v != null && v !== false) d.append(el("dt", {}, k), el("dd", {}, String(v)));
  return d;
}
function verdictText(g) {
  const s = g.score == null ? g.outcome : (100 * g.score).toFixed(g.score === 0 || g.score === 1 ? 0 : 1) + " %";
  const more = [g.label, g.gold === "corrected" ? T.corrected : "", g.reason, ...(g.facts || [])].filter(Boolean).join("\n");
  return s + (more ? "\n" + more : "") + (g.reply ? "\n" + g.reply : "");
}
function draw(x, r) {
  const gold = new Set((r.evidence || []).map(ref)), isGold = h => (h.sources || []).some(s => gold.has(ref(s)));
  const v = verdictOf(x), out = [];
  out.push(el("p", { class: "dim" }, el("span", { class: "v " + v }, T.verdicts[v]), ` · ${r.system} · ${r.dataset} · ${r.category}${r.raw_category && r.raw_category !== r.category ? " (" + r.raw_category + ")" : ""} · ${r.case_id} · ${r.question_id}${r.repeat ? " · " + T.repeat + " " + r.repeat : ""}`));
  out.push(el("h3", { tabindex: "-1" }, r.question));
  out.push(pairs([[T.gold, r.gold || (r.abstain ? T.abstain : T.empty)], [T.golds, (r.golds || []).length > 1 ? r.golds.join("\n") : ""], [T.wrong, r.wrong_answer], [T.answer, r.answer || T.empty], [T.asOf, r.as_of],
    [T.errata, r.errata && [r.errata.overlay, r.errata.kind, r.errata.answer, r.errata.note].filter(Boolean).join(": ")], [T.error, r.error]]));
  const a = r.attribution;
  if (a) out.push(...section(T.where, el("div", { class: "where" }, el("p", {}, el("b", {}, (T.hops[a.hop] || a.hop) + (a.cause ? " · " + (T.causes[a.cause] || a.cause) : "") + (a.break ? " · " + a.break : ""))), el("p", {}, a.reason || ""),
    a.marked ? el("p", { class: "marked" }, T.marked + ": " + a.marked) : null, (a.evidence || []).length ? el("p", { class: "dim" }, T.evidence + ": " + a.evidence.map(ref).join(", ")) : null, (a.ids || []).length ? el("p", { class: "dim" }, T.ids + ": " + a.ids.join(", ")) : null)));
  if ((r.grades || []).length) out.push(...section(T.graded, pairs(r.grades.map(g => [g.protocol + (g.by && g.by !== "rule" ? " · " + g.by : ""), verdictText(g)]))));
  const hits = r.hits || [], below = (r.below_k || []).filter(isGold);
  out.push(...section(T.hits(hits.length, r.k), hits.length ? el("div", {}, ...hits.map(h => el("div", { class: "hit" }, el("p", { class: "m" }, isGold(h) ? el("span", { class: "tag gold" }, T.isGold) : null, h.cut ? el("span", { class: "tag cut" }, T.cut) : null,
    `${T.rank} ${h.rank} · ${T.score} ${Number(h.score).toPrecision(4)} · ${h.id}${(h.sources || []).length ? " · " + h.sources.map(ref).join(", ") : ""}`), el("p", {}, h.text)))) : el("p", {}, T.noHits)));
  if (below.length) out.push(el("p", { class: "dim" }, T.below + " " + below.map(b => b.rank).join(", ")));
  const wanted = [...(r.evidence || []).map(ref), ...(r.evidence_texts || [])];
  if (wanted.length) out.push(...section(T.evidence, el("p", {}, wanted.join("\n"))));
  out.push(...section(T.context, r.context ? el("pre", { tabindex: "0" }, r.context) : el("p", {}, T.noContext)));
  const used = (r.usage || []).reduce((s, u) => [s[0] + u.input_tokens, s[1] + u.output_tokens], [0, 0]);
  out.push(...section(T.facts, pairs([[T.outcome, r.outcome], [T.reader, r.by], [T.time, r.retrieve_ms || r.answer_ms ? ms(r.retrieve_ms) + ", " + ms(r.answer_ms) : ""], [T.tokens, used[0] + used[1] ? fmt(used[0]) + ", " + fmt(used[1]) : ""]])));
  return el("div", {}, ...out.filter(Boolean));
}
// beside lets one choose a second system for the same question.
function beside(x, r) {
  const others = D.systems.filter((s, i) => s !== r.system && occurs("system", i));
  const same = el("a", { href: "#answers&q=" + encodeURIComponent(r.question_id) + "&all=1" }, T.same);
  return el("p", { class: "beside" }, others.length ? select("with", T.beside, [["", partner ? T.alone : T.beside + "…"], ...others.map(s => [s, s])], partner, v => { location.hash = answerHash(x.at, v); }) : null, " ", same);
}
// counterpart finds the answer of another system to the question of a row.
async function counterpart(x, system) {
  const s = D.systems.indexOf(system), r = x.rows, i = x.i;
  const fits = (o, j) => o.s[j] === s && o.d[j] === r.d[i] && o.k[j] === r.k[i] && o.id[j] === r.id[i] && o.r[j] === r.r[i];
  for (let j = 0; j < rowsOf(D.rows); j++) if (fits(D.rows, j)) return { rows: D.rows, i: j, at: D.rows.at[j], record: j };
  for (let f = 0; f < D.index.length; f++) {
    if (!D.index[f].s.includes(s) || !D.index[f].d.includes(r.d[i])) continue;
    const o = await side("index-" + pad(f, 5));
    for (let j = 0; j < D.index[f].n; j++) if (fits(o, j)) return { rows: o, i: j, at: D.index[f].first + j };
  }
  return null;
}
let partner = ""; // the system that stands beside
const answerHash = (at, by) => "#answer=" + at + (by ? "&with=" + encodeURIComponent(by) : "");
async function show(at, focus) {
  open = at;
  const by = partner;
  document.querySelector(".cols").classList.toggle("pair", at >= 0 && by !== "");
  for (const a of $("list").querySelectorAll("a")) {
    const here = Number(a.dataset.at) === at;
    if (here) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
  }
  $("answer").replaceChildren(el("p", { class: "dim" }, at < 0 ? T.pick : T.loading));
  $("answers").classList.toggle("open", at >= 0);
  if (at < 0) return;
  try {
    const x = await rowAt(at);
    if (open !== at) return;
    if (!x) { $("answer").replaceChildren(el("p", {}, T.none)); return; }
    const r = await record(x);
    if (open !== at || partner !== by) return;
    const views = [draw(x, r)];
    if (by) {
      const y = await counterpart(x, by), other = y && await record(y);
      if (open !== at || partner !== by) return;
      views.push(other ? draw(y, other) : el("div", {}, el("p", { role: "alert" }, T.notThere(by))));
    }
    $("answer").replaceChildren(beside(x, r), el("div", { class: "views" }, ...views));
    $("answer").scrollTop = 0;
    if (focus) $("answer").querySelector("h3").focus({ preventScroll: false });
  } catch (e) { $("answer").replaceChildren(el("p", { role: "alert" }, e.message)); }
}
function step(by) {
  const at = found.findIndex(x => x.at === open), next = found[at < 0 ? 0 : at + by];
  if (!next) return;
  while (shown <= found.indexOf(next)) list(true);
  location.hash = answerHash(next.at, partner);
  $("list").querySelector(`a[data-at="${next.at}"]`)?.scrollIntoView({ block: "nearest" });
}

// ---------------------------------------------------------------- address and controls

function hashOf(f) {
  const p = new URLSearchParams();
  for (const k of filters) if (f[k]) p.set(k, f[k]);
  if (f.q) p.set("q", f.q);
  if (D.folder) p.set("all", f.all ? "1" : "0");
  const s = p.toString();
  return "#answers" + (s ? "&" + s : "");
}
function go(f) {
  const h = hashOf(f);
  if (h === location.hash) { F = f; controls(); search(page); } else location.hash = h;
}
function fromHash() {
  const h = location.hash;
  if (h.startsWith("#answer=")) {
    const p = new URLSearchParams(h.slice(1)), by = p.get("with") || "";
    partner = D.systems.includes(by) ? by : "";
    show(parseInt(p.get("answer"), 10), true);
    return;
  }
  if (!h.startsWith("#answers")) return;
  const p = new URLSearchParams(h.slice(9)), f = { q: p.get("q") || "" };
  for (const k of filters) if (p.get(k) && names[k].includes(p.get(k))) f[k] = p.get(k);
  // A link of a table or a plot means all of the answers that it counts.
  f.all = D.folder !== "" && (p.has("all") ? p.get("all") === "1" : filters.some(k => f[k]));
  F = f;
  controls();
  search(page);
  $("answers").scrollIntoView();
}
function controls() {
  const q = $("q");
  if (q.value !== F.q) q.value = F.q;
  q.placeholder = T.search;
  q.setAttribute("aria-label", T.search);
  $("clear").textContent = T.clear;
  $("more").textContent = T.more;
  const box = $("selects"), had = document.activeElement?.dataset?.filter;
  box.replaceChildren();
  if (D.folder) box.append(select("all", T.scope, [["", T.embedded(rowsOf(D.rows))], ["1", T.everything(D.total)]], F.all ? "1" : "", v => go({ ...F, all: v === "1" })));
  for (const k of filters) {
    const used = names[k].filter((n, i) => n !== "" && occurs(k, i));
    if (used.length < 2 && !F[k]) continue;
    const word = { verdict: T.verdicts, hop: T.hops, cause: T.causes }[k] || {};
    box.append(select(k, T[k], [["", T[k]], ...used.map(n => [n, word[n] || n])], F[k] || "", v => go({ ...F, [k]: v || undefined })));
  }
  if (had) box.querySelector(`[data-filter="${had}"]`)?.focus();
  const keys = document.querySelector(".keys");
  keys.replaceChildren();
  ["/", "j", "k", "t", "l"].forEach((k, i) => keys.append(el("kbd", {}, k), " " + T.keys[i] + "  "));
}
const seen = {};
function occurs(k, i) {
  if (!seen[k]) seen[k] = new Set([...(D.rows[column[k]] || []), ...D.index.flatMap(x => x[column[k]])]);
  return seen[k].has(i);
}
function select(name, label, options, value, on) {
  const s = el("select", { "aria-label": label, "data-filter": name }, ...options.map(([v, t]) => el("option", { value: v }, t)));
  s.value = value;
  s.onchange = () => on(s.value);
  return s;
}
let timer = 0;
$("q").oninput = () => { clearTimeout(timer); timer = setTimeout(() => { F = { ...F, q: $("q").value.trim() }; history.replaceState(null, "", hashOf(F)); search(page); }, 180); };
$("filters").onsubmit = e => { e.preventDefault(); clearTimeout(timer); go({ ...F, q: $("q").value.trim() }); };
$("clear").onclick = () => go({ q: "", all: F.all });

function language(to) {
  zh = to;
  T = zh ? ZH : EN;
  root.lang = zh ? "zh-CN" : "en";
}
$("lang").onclick = () => {
  language(!zh);
  store("lang", zh ? "zh" : "en");
  controls();
  const n = shown;
  $("list").replaceChildren();
  for (shown = 0; shown < n; shown++) $("list").append(item(found[shown]));
  count();
  show(open);
};
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
$("theme").onclick = () => { root.dataset.theme = dark() ? "light" : "dark"; store("theme", root.dataset.theme); };
if (stored("theme")) root.dataset.theme = stored("theme");

// ---------------------------------------------------------------- tables

// Tables sort by any column: numbers from the largest, words from A; once more turns the
// order, a third time it is as it was. A cell without a number stays last.
const cellText = c => (c.querySelector(".en") || c).textContent.trim();
const size = { k: 1e3, M: 1e6, G: 1e9 };
function number(c) {
  const m = /^[~≥<>≤]*\s*([+-]?\d[\d,]*\.?\d*)\s*([kMG])?/.exec(cellText(c).replace("−", "-"));
  return m ? Number(m[1].replaceAll(",", "")) * (size[m[2]] || 1) : null;
}
function sortable(table) {
  const body = table.tBodies[0], original = [...body.rows], heads = [...table.tHead.rows[0].cells];
  if (original.length < 2) return;
  heads.forEach((h, i) => {
    const b = el("button", { type: "button", class: "sort" }, ...h.childNodes);
    h.append(b);
    b.onclick = () => {
      const first = h.classList.contains("n") ? "descending" : "ascending", second = first === "ascending" ? "descending" : "ascending";
      const to = { [first]: second, [second]: "" }[h.getAttribute("aria-sort")] ?? first;
      heads.forEach(x => x.removeAttribute("aria-sort"));
      if (to) h.setAttribute("aria-sort", to);
      const sign = to === "descending" ? -1 : 1;
      const rows = !to ? original : original.map(r => ({ r, v: h.classList.contains("n") ? number(r.cells[i]) : cellText(r.cells[i]) })).sort((a, b) =>
        a.v === null || b.v === null ? (a.v === null) - (b.v === null) : sign * (typeof a.v === "number" ? a.v - b.v : a.v.localeCompare(b.v))).map(x => x.r);
      body.append(...rows);
    };
  });
}
document.querySelectorAll(".set table").forEach(sortable);

addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName || "");
  if (e.key === "Escape" && typing) { document.activeElement.blur(); return; }
  if (typing) return;
  if (e.key === "/") { e.preventDefault(); $("q").focus(); $("q").select(); }
  else if (e.key === "j") step(1);
  else if (e.key === "k") step(-1);
  else if (e.key === "t") $("theme").click();
  else if (e.key === "l") $("lang").click();
});
addEventListener("hashchange", fromHash);

language(zh);
$("browse").hidden = false;
controls();
await search(page);
show(-1);
fromHash();
root.dataset.ready = "true";
})();
