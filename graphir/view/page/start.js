// ---------------------------------------------------------------- start

const wantDark = matchMedia("(prefers-color-scheme: dark)");
dark = stored("theme") ? stored("theme") === "dark" : wantDark.matches;
wantDark.addEventListener("change", () => { if (!stored("theme")) theme(wantDark.matches, false); });
document.documentElement.dataset.theme = dark ? "dark" : "light";
readInk();
refilter();
language(zh, false);
tab("people");
if (innerWidth < 1080) toggleFilters(false);
new ResizeObserver(resize).observe($("stage"));
resize();
requestAnimationFrame(() => setTimeout(async () => {
  performance.mark("view:first-frame");
  const b = await unpack("props-data"), r = reader(b, 0), distinct = r.u();
  const nodeEnd = new Float64Array(N), edgeEnd = new Float64Array(distinct), edgeProps = new Uint32Array(M);
  for (let i = 0; i < N; i++) nodeEnd[i] = r.u();
  for (let i = 0; i < distinct; i++) edgeEnd[i] = r.u();
  for (let e = 0; e < M; e++) edgeProps[e] = r.u();
  let at = r.at();
  for (let i = 0; i < N; i++) nodeEnd[i] = at += nodeEnd[i];
  const nodesEnd = at;
  for (let i = 0; i < distinct; i++) edgeEnd[i] = at += edgeEnd[i];
  const start = r.at(), dec = new TextDecoder();
  const parse = (a, z) => JSON.parse(dec.decode(b.subarray(a, z))) || {};
  let lastI = -1, lastP = null;
  props = {
    node(i) { if (i !== lastI) { lastP = parse(i ? nodeEnd[i - 1] : start, nodeEnd[i]); lastI = i; } return lastP; },
    edge(e) { const k = edgeProps[e]; return parse(k ? edgeEnd[k - 1] : nodesEnd, edgeEnd[k]); },
  };
  if (selected >= 0) details();
  changes(); people(); rows();
  performance.mark("view:ready");
  document.documentElement.dataset.ready = "true";
}));
fromHash();
