"use strict";
(() => {
const $ = id => document.getElementById(id);
const el = (tag, cls, ...kids) => { const e = document.createElement(tag); if (cls) e.className = cls; e.append(...kids); return e; };
const num = n => n.toLocaleString("en-US");
const share = (n, of) => of ? (100 * n / of).toFixed(1) + " %" : "–";
const time = s => s >= 3600 ? (s / 3600).toFixed(1) + " h" : s >= 60 ? Math.round(s / 60) + " min" : Math.round(s) + " s";
const words = { waiting: "waiting for the run to begin · 等待开始", running: "running · 运行中", stopped: "stopped · 已停止", finished: "finished · 已完成" };

function show(s) {
  $("dir").textContent = s.dir;
  document.title = (s.of ? Math.floor(100 * s.done / s.of) + " % " : "") + s.dir;
  $("state").textContent = words[s.state] || s.state;
  $("state").className = s.state === "stopped" ? "bad" : s.state === "finished" ? "ok" : "";
  $("far").textContent = num(s.done) + (s.of ? " of " + num(s.of) + " questions" : " questions") + (s.per_second ? `, ${s.per_second.toFixed(1)}/s, about ${time(s.left_seconds || 0)} left` : "");
  $("fault").textContent = s.fault || "";
  $("bar").value = s.of ? s.done / s.of : 0;
  $("note").hidden = s.state === "finished";
  $("rows").replaceChildren(...s.rows.map(r => {
    const bad = [...Object.entries(r.outcomes || {}).filter(([k]) => k !== "answered"), ...Object.entries(r.lost || {})];
    return el("tr", "", el("td", "", r.system), el("td", "", r.dataset), el("td", "n", num(r.done) + (r.of ? " / " + num(r.of) : "")), el("td", "n", share(r.right, r.judged)), el("td", "n", num(r.judged)), el("td", "", r.by), el("td", "", bad.map(([k, n]) => k + " " + num(n)).join(", ")));
  }));
  $("failures").replaceChildren(...s.failures.map(f => el("li", "", el("p", "dim", [f.system, f.dataset, f.id].join(" · ")), el("p", "", el("b", "", f.question)), el("p", "", "gold: " + f.gold), el("p", "", "answer: " + (f.answer || "–")), el("p", "dim", f.why))));
  document.documentElement.dataset.ready = "true";
}
const events = new EventSource("events");
events.onmessage = e => { const s = JSON.parse(e.data); if (s.state) show(s); };
events.onerror = () => { $("fault").textContent = "The command that serves this page has ended, or does not answer. 命令已结束或没有响应。"; };
})();
