// ---------------------------------------------------------------- people

const subjectOf = new Int32Array(N).fill(-1), objectOf = i => { const e = outs(i).find(e => ABOUT[typ[e]] === 2); return e === undefined ? -1 : dst[e]; };
function outs(i) { const a = []; for (let e = outAt[i]; e < outAt[i + 1]; e++) a.push(e); return a; }
G.people.forEach((p, k) => { for (const c of [...p.known, ...p.was || []]) subjectOf[c] = k; });
const nameOf = i => G.titles[i];
// said is a claim in words, without its subject: the page shows it below a name.
function said(i) {
  const name = props ? props.node(i).predicate : "", o = objectOf(i);
  if (!name || o < 0) return [G.titles[i]];
  return [el("span", { class: "p" }, (zh && G.predicates[name]) || name.toLowerCase().replaceAll("_", " ")), zh && G.predicates[name] ? "：" : " ", G.titles[o]];
}
const day = i => clock(i).slice(0, 10);
const fact = i => el("button", { type: "button", class: "fact" + (gone(i) ? " gone" : ""), title: G.titles[i], "data-node": G.ids[i], on: { click: () => select(i) } }, el("span", { class: "t" }, ...said(i)), el("time", {}, day(i)));
// more shows the first of a list, and the others when asked for.
function more(items, cap, row) {
  const box = el("div", {});
  const add = (from, to) => {
    box.append(...items.slice(from, to).map(row));
    if (items.length > to) { const b = el("button", { type: "button", class: "link", on: { click: () => { b.remove(); add(to, to + 200); } } }, T.more(items.length - to)); box.append(b); }
  };
  add(0, cap);
  return box;
}
// known is what is known of a person or thing, for its details.
function known(i) {
  const p = G.people.find(p => p.i === i || (p.same || []).includes(i));
  if (!p) return [];
  const kids = [];
  if (p.known.length) kids.push(sect(T.knownNow, p.known.length, more(p.known, 40, fact)));
  if (p.was) kids.push(sect(T.before, p.was.length, more(p.was, 20, fact)));
  return kids;
}
const turnsOf = p => [p.i, ...p.same || []].flatMap(i => outs(i).map(e => dst[e]).filter(j => is(j, "turn")));
function someone(p) {
  const names = [...new Set((p.same || []).map(i => labelsOf(i)[0]))], turns = turnsOf(p).length;
  const box = el("section", { class: "who", "data-person": G.ids[p.i] },
    el("h2", {}, swatch(styleAt(p.i)), el("button", { type: "button", "data-node": G.ids[p.i], on: { click: () => select(p.i) } }, nameOf(p.i))),
    el("p", { class: "about" }, [labelsOf(p.i)[0], ...names, turns ? T.turnsOf(turns) : ""].filter(Boolean).join(" · ")));
  if (p.known.length) box.append(el("h3", {}, T.knownNow), more(p.known, 6, fact));
  if (p.was) box.append(el("h3", {}, T.before), more(p.was, 3, fact));
  return box;
}
function people() {
  const box = $("people"), all = G.people.filter(p => p.known.length || p.was);
  const list = ofPerson ? all.filter(p => ofPerson.has(p.i)) : all;
  if (!list.length) { box.replaceChildren(hello()); return; }
  const out = el("div", { class: "hello" }), open = G.open.filter(g => g.some(i => passes[i]));
  if (open.length) out.append(el("section", { class: "who", id: "open" }, el("h2", {}, T.open), el("p", { class: "about" }, T.openText),
    more(open, 4, g => el("div", { class: "clash" }, el("span", { class: "about" }, nameOf(G.people[subjectOf[g[0]]].i)), ...g.map(fact)))));
  out.append(more(list.filter(p => p.is), 12, someone));
  const news = changeList.filter(c => passes[c.old]).slice(0, 3);
  if (news.length) out.append(el("section", { class: "who", id: "news" }, el("h2", {}, T.latest), ...news.map(c => el("div", { class: "clash" }, el("span", { class: "about" }, subjectOf[c.old] < 0 ? "" : nameOf(G.people[subjectOf[c.old]].i)), ...[c.old, c.now].filter(i => i >= 0).map(fact))),
    el("button", { type: "button", class: "link", on: { click: () => tab("changes") } }, T.allChanges(changeList.length))));
  const things = list.filter(p => !p.is);
  if (things.length) out.append(el("section", { class: "who" }, el("h2", {}, T.things), more(things, 4, someone)));
  box.replaceChildren(out);
}
function hello() {
  const box = el("div", { class: "hello" }, el("h2", { tabindex: "-1" }, T.hello), el("p", {}, T.helloText));
  const best = [...titleRank].filter(i => passes[i]), picks = [...best.filter(i => isClaimSet[setOf[i]]).slice(0, 6), ...best.slice(0, 6)].slice(0, 6);
  if (picks.length) box.append(el("h3", {}, T.start), el("div", {}, ...picks.map(j => el("button", { type: "button", class: "nrow", "data-node": G.ids[j], on: { click: () => select(j) } }, swatch(styleAt(j), gone(j)), el("span", { class: "t" }, G.titles[j])))));
  return box;
}

// ---------------------------------------------------------------- the list

// Only the rows in sight are in the page: ten thousand turns scroll like ten.
const ROW = 44;
const ORDERS = [["newest", (a, b) => timeOf[b] - timeOf[a] || a - b], ["oldest", (a, b) => (timeOf[a] || Infinity) - (timeOf[b] || Infinity) || a - b], ["byName", (a, b) => G.titles[a] < G.titles[b] ? -1 : G.titles[a] > G.titles[b] ? 1 : a - b]];
let order = 0, rowNodes = [], rowsTop = 0;
function rows() {
  const box = $("list");
  if (box.hidden) return;
  rowNodes = [];
  for (let i = 0; i < N; i++) if (passes[i]) rowNodes.push(i);
  rowNodes.sort(ORDERS[order][1]);
  const scroll = el("div", { class: "scroll" }), height = el("div", {});
  height.style.height = rowNodes.length * ROW + "px";
  scroll.append(height);
  const fill = () => {
    rowsTop = scroll.scrollTop;
    const first = Math.max(0, Math.floor(rowsTop / ROW) - 4), last = Math.min(rowNodes.length, first + Math.ceil((scroll.clientHeight || 600) / ROW) + 8);
    height.replaceChildren(...rowNodes.slice(first, last).map((i, k) => {
      const b = el("button", { type: "button", class: "row" + (i === selected ? " here" : ""), "data-node": G.ids[i], on: { click: () => select(i) } }, swatch(styleAt(i), gone(i)),
        el("span", { class: "t" }, el("span", { class: "k" }, [labelsOf(i)[0], clock(i)].filter(Boolean).join(" · ")), G.titles[i]));
      b.style.top = (first + k) * ROW + "px";
      return b;
    }));
  };
  scroll.addEventListener("scroll", () => requestAnimationFrame(fill));
  box.replaceChildren(el("div", { class: "head" }, el("span", {}, rowNodes.length ? T.rows(rowNodes.length) : T.noRows),
    el("button", { type: "button", class: "link", on: { click: () => { order = (order + 1) % ORDERS.length; rowsTop = 0; rows(); } } }, T[ORDERS[order][0]])), scroll);
  scroll.scrollTop = rowsTop;
  fill();
}

// ---------------------------------------------------------------- filters by person and time

function level(v) { everything = v; filters(); refilter(); fitAll(); }
// belongs is a person with all that hangs on it: claims, what they are about, their evidence, and the turns they spoke.
function belongs(p) {
  const set = new Set([p.i, ...p.same || [], ...turnsOf(p)]);
  const walk = steps => { for (const s of steps) if (!set.has(s.i)) { set.add(s.i); walk(s.kids); } };
  for (const c of [...p.known, ...p.was || []]) {
    set.add(c);
    if (objectOf(c) >= 0) set.add(objectOf(c));
    walk(walkDown(c));
    for (let i = c, n = 0; n < 3 && !set.has(i) || i === c; n++) { const e = against(i, ABOUT).find(e => other(e, i) !== objectOf(c)); if (e === undefined) break; i = other(e, i); set.add(i); }
  }
  for (const t of turnsOf(p)) walk(walkDown(t));
  return set;
}
let person = "", from = "", to = "";
function narrowed() {
  const p = G.people.find(p => G.ids[p.i] === person), stamp = s => Date.parse(s + "T00:00:00Z") / 1000;
  ofPerson = p ? belongs(p) : null;
  timeFrom = from ? stamp(from) : -Infinity;
  timeTo = to ? stamp(to) + 86399 : Infinity;
  refilter(); people(); rows(); fitAll();
}
function narrow() {
  const out = [], known = G.people.filter(p => p.known.length || p.was);
  const section = (head, ...kids) => out.push(el("section", { class: "narrow", "aria-label": head }, el("div", { class: "fhead" }, el("h2", {}, head)), ...kids));
  if (known.length) {
    const radio = (id, text, v) => el("label", { class: "wide" }, el("input", { type: "radio", name: "level", id, checked: everything === v, on: { change: () => level(v) } }), text);
    section(T.level, radio("level-folded", T.folded, false), radio("level-everything", T.everything, true), el("p", { class: "up" }, T.levelHint));
    const pick = el("select", { id: "person", "aria-label": T.who, on: { change: () => { person = pick.value; narrowed(); } } }, el("option", { value: "" }, T.anyone),
      ...known.map(p => el("option", { value: G.ids[p.i], selected: G.ids[p.i] === person }, nameOf(p.i))));
    section(T.who, pick);
  }
  if (timeOf.some(t => t)) {
    const date = (id, name, v, set) => { const f = el("input", { type: "date", id, value: v, on: { change: () => { set(f.value); narrowed(); } } }); return el("label", {}, name, f); };
    section(T.when, date("time-from", T.from, from, v => { from = v; }), date("time-to", T.to, to, v => { to = v; }));
  }
  return out;
}
