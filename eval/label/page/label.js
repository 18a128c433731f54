"use strict";
(async () => {
const $ = id => document.getElementById(id);
const D = await (await fetch("draw")).json();
const zh = { right: "对", wrong: "错", unsure: "不确定", yes: "标准答案有误",
  ingest: "未摄入", store: "未存储", altered_stored: "存储时改变", overwrite: "被覆盖", retrieve: "未检索到", altered_retrieved: "检索时改变", context: "截出上下文", altered_context: "上下文中改变", read: "未用上", judge: "评判有误", gold: "标准答案有误", opaque: "无法判断",
  miss: "缺失", conflict: "冲突", temporal: "时间", hallucination: "幻觉", overload: "过载", generation: "生成" };
const keys = { verdict: { right: "y", wrong: "n", unsure: "u" }, gold_wrong: { yes: "g" },
  hop: { ingest: "i", store: "s", altered_stored: "S", overwrite: "o", retrieve: "r", altered_retrieved: "R", context: "c", altered_context: "C", read: "d", judge: "e", opaque: "x" },
  cause: { miss: "1", conflict: "2", temporal: "3", hallucination: "4", overload: "5", generation: "6" } };
const words = { yes: "gold is wrong" };
let at = -1;
const labelled = s => s.verdict || s.gold_wrong || s.hop || s.cause;

function rows() {
  const lists = { verdict: D.verdicts, gold_wrong: ["yes"], hop: D.hops.filter(h => h !== "gold"), cause: D.causes };
  for (const [field, list] of Object.entries(lists)) for (const value of list) {
    const b = document.createElement("button"), k = document.createElement("kbd");
    b.type = "button";
    b.dataset.field = field;
    b.dataset.value = value;
    k.textContent = keys[field][value];
    b.append(k, " " + (words[value] || value.replace("_", " ")) + " · " + zh[value]);
    b.onclick = () => { choose(field, value); b.blur(); };
    $(field).append(b);
  }
}
function draw() {
  const s = D.said[at];
  for (const b of document.querySelectorAll("button[data-field]")) b.setAttribute("aria-pressed", s[b.dataset.field] === b.dataset.value);
  if (document.activeElement !== $("note")) $("note").value = s.note;
  $("place").textContent = `${at + 1} / ${D.said.length}, ${D.said.filter(labelled).length} labelled · 已标注`;
}
let shown = 0;
async function go(to) {
  if (to < 0 || to >= D.said.length) return;
  await save(); // a note that is being written
  at = to;
  const mine = ++shown;
  draw();
  let s;
  try {
    const r = await fetch("sheet?at=" + to);
    if (!r.ok) throw new Error(await r.text());
    s = await r.json();
  } catch (e) { fault(e); return; }
  if (mine !== shown) return;
  for (const f of ["question", "gold", "answer", "evidence", "context", "hits", "kept"]) $(f).textContent = s[f] || "–";
  $("what").textContent = [s.system, s.dataset, s.category, s.case_id, s.question_id, s.repeat ? "repeat " + s.repeat : ""].filter(Boolean).join(" · ");
  $("context").scrollTop = 0;
  document.documentElement.dataset.at = to;
}
const fault = e => { $("fault").textContent = e ? "not saved · 未保存: " + e.message : ""; };
// Labels are sent one after the other, so that the last one written is the last one said.
let sending = Promise.resolve();
const unsaved = new Set();
function put(i) {
  unsaved.add(i);
  sending = sending.then(async () => {
    try {
      const r = await fetch("label?at=" + i, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(D.said[i]) });
      if (!r.ok) throw new Error(await r.text());
      unsaved.delete(i);
      fault();
    } catch (e) { fault(e); }
    document.documentElement.dataset.unsaved = unsaved.size;
  });
  document.documentElement.dataset.unsaved = unsaved.size;
  return sending;
}
function choose(field, value) {
  const s = D.said[at];
  s[field] = s[field] === value ? "" : value;
  draw();
  put(at);
}
function save() {
  if (at < 0 || $("note").value === D.said[at].note) return sending;
  D.said[at].note = $("note").value;
  return put(at);
}
$("note").onblur = save;
function next() {
  const n = D.said.length;
  for (let i = 1; i <= n; i++) if (!labelled(D.said[(at + i) % n])) return go((at + i) % n);
  return go(at + 1);
}
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || D.said.length === 0) return;
  if (document.activeElement === $("note")) {
    if (e.key === "Escape") $("note").blur();
    return;
  }
  if (e.key === "/") { e.preventDefault(); $("note").focus(); return; }
  if (e.key === "j" || e.key === "ArrowRight") { e.preventDefault(); go(at + 1); return; }
  if (e.key === "k" || e.key === "ArrowLeft") { e.preventDefault(); go(at - 1); return; }
  if (e.key === "Enter") { e.preventDefault(); next(); return; }
  for (const [field, list] of Object.entries(keys)) for (const [value, key] of Object.entries(list)) if (key === e.key) { choose(field, value); return; }
});
addEventListener("beforeunload", e => { if (unsaved.size) e.preventDefault(); });

rows();
$("by").textContent = D.by;
if (D.said.length === 0) $("fault").textContent = "The draw is empty · 没有可标注的回答";
else await go(Math.max(0, D.said.findIndex(s => !labelled(s))));
document.documentElement.dataset.ready = "true";
})();
