// ---------------------------------------------------------------- words

const EN = {
  lang: "中文", langTitle: "用中文显示 (l)", theme: "Light or dark (t)", help: "Keys and hints (?)", back: "Back (Backspace)", forward: "Forward",
  filters: "Filters (g)", zoomIn: "Zoom in (+)", zoomOut: "Zoom out (−)", fit: "Show everything (0)", map: "Graph map. Arrow keys walk, slash searches, question mark lists the keys.",
  search: "Search text, names, ids", hits: n => n === 0 ? "Nothing found" : n === 1 ? "1 match" : n + " matches", firstHits: (k, n) => `best ${k} of ${n} matches`,
  nodes: n => n === 1 ? "1 node" : fmt(n) + " nodes", edges: n => n === 1 ? "1 edge" : fmt(n) + " edges", omitted: n => fmt(n) + " more nodes left out",
  labels: "Node labels", types: "Edge types", statuses: "Claim status", only: "only", all: "all", none: "none", noStatus: "no status",
  people: "People", list: "List", details: "Details", changes: "Changes", loading: "Reading properties…", empty: "This graph has no nodes.", hidden: "Every node is filtered out.",
  hello: "Pick a node to walk its evidence", helloText: "A claim leads down to its memories, their turns, and the source lines. A source leads back up to what was claimed from it.",
  start: "Good places to start", evidence: "Evidence", above: "What rests on this", claimsAbout: "Claims about this", talk: "Around this turn", neighbours: "Neighbours", props: "Properties",
  edgeProps: "Properties of the edge", more: n => `show ${fmt(n)} more`, copy: "copy", copied: "copied", noEvidence: "No evidence is linked to this claim.", noTurn: "No turn is linked to this memory.", noLines: "No source lines are linked to this turn.",
  none_: "none", changedTo: "replaced by", noChanges: "No claim in this graph has changed.", withdrawn: "no longer active, no successor", noTime: "no time",
  knownNow: "Known now", was: "replaces", before: "Known before", open: "Open contradictions", openText: "These statements hold at the same time and cannot all be right.", things: "Things", latest: "Latest changes", allChanges: n => `all ${fmt(n)} changes`, turnsOf: n => n === 1 ? "1 turn" : fmt(n) + " turns", since: t => "since " + t, also: "also",
  level: "Show", folded: "People and what is known", everything: "Everything", levelHint: "Select a statement to unfold its turns.", who: "Person", anyone: "Everyone", when: "Time", from: "From", to: "To", reset: "reset", newest: "newest first", oldest: "oldest first", byName: "by name", rows: n => n === 1 ? "1 item" : fmt(n) + " items", noRows: "Nothing passes the filters.",
  nothing: "nothing selected", selected: t => "selected: " + t, turn: "turn", inView: n => fmt(n) + " nodes in view", close: "Close",
  status: { active: "active", deprecated: "deprecated", candidate: "candidate", matched_event: "matched event", ambiguous: "ambiguous" },
  keys: [[["/"], "search"], [["←", "↑", "→", "↓"], "go to the node in that direction; move the map when nothing is selected"], [["Shift", "arrow"], "move the map"], [["Enter"], "read the details of the selected node"], [["Esc"], "close, then deselect"], [["Backspace"], "back to the node before"],
    [["+"], "zoom in"], [["−"], "zoom out"], [["0"], "show everything"], [["f"], "show the selected node and its neighbours"], [["p"], "people and what is known of them"], [["i"], "list"], [["c"], "changes"], [["e"], "people only, or everything"], [["g"], "filters"], [["t"], "light or dark"], [["l"], "English or Chinese"]],
  foot: "Filled shapes are active, hollow ones are not. This file needs no network.",
};
const ZH = {
  lang: "EN", langTitle: "Show in English (l)", theme: "浅色或深色 (t)", help: "按键与提示 (?)", back: "后退 (Backspace)", forward: "前进",
  filters: "筛选 (g)", zoomIn: "放大 (+)", zoomOut: "缩小 (−)", fit: "显示全图 (0)", map: "图谱。方向键移动，斜杠搜索，问号列出按键。",
  search: "搜索文本、名称、编号", hits: n => n === 0 ? "没有找到" : `${n} 个结果`, firstHits: (k, n) => `${n} 个结果中最相关的 ${k} 个`,
  nodes: n => fmt(n) + " 个节点", edges: n => fmt(n) + " 条边", omitted: n => `另有 ${fmt(n)} 个节点未绘出`,
  labels: "节点标签", types: "边类型", statuses: "陈述状态", only: "仅此项", all: "全选", none: "全不选", noStatus: "无状态",
  people: "人物", list: "列表", details: "详情", changes: "变更", loading: "正在读取属性…", empty: "图中没有节点。", hidden: "所有节点都被筛掉了。",
  hello: "选择一个节点，沿证据走下去", helloText: "陈述向下通到记忆、对话轮次和原文行；原文也能向上回到由它得出的陈述。",
  start: "可以从这里开始", evidence: "证据", above: "以此为据", claimsAbout: "相关陈述", talk: "上下文", neighbours: "相邻节点", props: "属性",
  edgeProps: "边的属性", more: n => `再显示 ${fmt(n)} 个`, copy: "复制", copied: "已复制", noEvidence: "这条陈述没有证据。", noTurn: "这条记忆没有对应的对话轮次。", noLines: "这一轮没有对应的原文行。",
  none_: "无", changedTo: "改为", noChanges: "图中没有发生变更的陈述。", withdrawn: "已失效，没有后继", noTime: "无时间",
  knownNow: "现在所知", was: "取代", before: "以前所知", open: "未解决的矛盾", openText: "这些陈述同时有效，不可能都对。", things: "事物", latest: "最近的变更", allChanges: n => `全部 ${fmt(n)} 个变更`, turnsOf: n => fmt(n) + " 轮", since: t => "自 " + t, also: "又名",
  level: "显示", folded: "人物与所知", everything: "全部", levelHint: "选择一条陈述，展开它的对话轮次。", who: "人物", anyone: "所有人", when: "时间", from: "从", to: "到", reset: "重置", newest: "最新在前", oldest: "最早在前", byName: "按名称", rows: n => fmt(n) + " 项", noRows: "没有符合筛选条件的内容。",
  nothing: "未选择", selected: t => "已选择：" + t, turn: "第", inView: n => `视野内 ${fmt(n)} 个节点`, close: "关闭",
  status: { active: "有效", deprecated: "已失效", candidate: "候选", matched_event: "匹配事件", ambiguous: "有歧义" },
  keys: [[["/"], "搜索"], [["←", "↑", "→", "↓"], "走到该方向的节点；未选择时移动画面"], [["Shift", "方向键"], "移动画面"], [["Enter"], "阅读所选节点的详情"], [["Esc"], "关闭，再按取消选择"], [["Backspace"], "回到上一个节点"],
    [["+"], "放大"], [["−"], "缩小"], [["0"], "显示全图"], [["f"], "显示所选节点及相邻节点"], [["p"], "人物与所知"], [["i"], "列表"], [["c"], "变更"], [["e"], "仅人物，或全部"], [["g"], "筛选"], [["t"], "浅色或深色"], [["l"], "中文或英文"]],
  foot: "实心为有效，空心为失效。本文件无需网络。",
};
const stored = k => { try { return localStorage.getItem("membench." + k); } catch { return null; } };
const store = (k, v) => { try { localStorage.setItem("membench." + k, v); } catch { /* private window */ } };
let zh = (stored("lang") || navigator.language || "en").toLowerCase().startsWith("zh");
let T = zh ? ZH : EN;
const fmt = n => n.toLocaleString(zh ? "zh-CN" : "en-US");

