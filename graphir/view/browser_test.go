package view

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/internal/browsertest"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	picture = flag.String("picture", "", "write all screenshots to this `folder`; -update refreshes those in docs/img")
	measure = flag.Bool("measure", false, "run TestBrowserSpeed, which takes a minute")
)

// A tab is one page in a headless Chromium.
type tab struct{ *browsertest.Tab }

// open starts Chromium on the file. lang is what navigator.language says.
func open(t testing.TB, file, lang string, w, h int) tab {
	t.Helper()
	page := browsertest.File(t, file)
	return tab{browsertest.Open(t, page, lang, w, h, page, "blob:")}
}

// search types a query and waits for its results.
func (b tab) search(q string) {
	b.T.Helper()
	b.Key("/")
	b.Until("the search field has the focus", `document.activeElement.id === "q"`)
	if v := browsertest.Eval[string](b.Tab, `document.querySelector("#q").value`); v != "" {
		b.Key(kb.Delete) // the slash selects what was there
	}
	b.Type(q)
	b.Until("results for "+q, fmt.Sprintf(`!document.querySelector("#drop").hidden && document.querySelector("#q").value === %q && document.querySelectorAll("#hits li").length > 0`, q))
}

func (b tab) selected(want string) {
	b.T.Helper()
	b.Until("selected is "+want, fmt.Sprintf(`(document.querySelector("#details .idrow code")?.textContent ?? "").startsWith(%q)`, want))
}

func (b tab) shot(name string) {
	b.T.Helper()
	folder := *picture
	if *update && (name == "view" || name == "view-dark") {
		folder = filepath.Join("..", "..", "docs", "img") // the README shows these
	}
	b.Shot(folder, name)
}

func write(t testing.TB, in schema.Seq[schema.Element], o Options) (string, Stats) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "图谱 graph.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	st, err := HTML(f, in, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path, st
}

// TestBrowser opens the page of the demo graph in Chromium, walks from a search to
// the source lines and back, by keys and by pointer, and photographs it.
func TestBrowser(t *testing.T) {
	exttest.Need(t, "chromium")
	file, _ := write(t, jsonl.Files[schema.Element]([]string{"testdata/demo/nodes.jsonl", "testdata/demo/edges.jsonl"}, nil), Options{Title: "Night study · 夜读"})
	b := open(t, file, "en-US", 1440, 900)
	if s := b.Text("#counts"); s != "132 nodes · 374 edges" {
		t.Errorf("counts say %q", s)
	}
	b.shot("view-start")

	// Search in Chinese: the claim comes before what merely mentions the words.
	b.search("大麦茶")
	if s := b.Text("#hits li:first-child"); !strings.Contains(s, "大麦茶") {
		t.Errorf("first hit is %q", s)
	}
	b.Key(kb.Escape) // closes the list
	b.Key(kb.Escape) // empties the field and goes to the map
	b.search("PREFERS_TOPIC 大麦茶")
	b.Key(kb.Enter)
	b.selected("claim:PREFERS_TOPIC|daily|user:lin|topic:大麦茶")

	// The walk down: memory, turn with its words, lines. The changed claim is named.
	s := b.Text("#details")
	for _, want := range []string{"user:lin", "用户晚上改喝大麦茶，不再喝乌龙茶", "医生让我少喝茶，我现在晚上改喝大麦茶了。", "data/source/norm/ch03_barley.norm.md:7-8", "replaces", "lin PREFERS_TOPIC 乌龙茶", "0.86"} {
		if !strings.Contains(s, want) {
			t.Errorf("the details do not show %q", want)
		}
	}
	b.shot("view")
	b.Click(`#details [data-kind="MemoryItem"]`)
	b.selected("mem:")
	b.Click(`#details [data-kind="Event"]`)
	b.selected("event:ch03:1")
	b.Click(`#details [data-kind="source"]`)
	b.selected("source:data/source/norm/ch03_barley.norm.md")
	// And up again: the source knows its turns, memories and claims.
	b.Click(`#details [data-kind="Claim"]`)
	b.selected("claim:")
	b.Key(kb.Backspace)
	b.selected("source:")
	if hash := browsertest.Eval[string](b.Tab, "decodeURIComponent(location.hash)"); hash != "#source:data/source/norm/ch03_barley.norm.md" {
		t.Errorf("the address says %q", hash)
	}

	// Keys: arrows walk along edges, Escape deselects, Tab stays in order.
	b.Key(kb.Escape) // from the details to the map
	b.Until("the map has the focus", `document.activeElement.id === "map"`)
	before := browsertest.Eval[string](b.Tab, "location.hash")
	for _, k := range []string{kb.ArrowLeft, kb.ArrowUp, kb.ArrowRight, kb.ArrowDown} {
		b.Key(k)
	}
	if browsertest.Eval[string](b.Tab, "location.hash") == before {
		t.Error("the arrow keys select nothing")
	}
	b.Key(kb.Enter)
	b.Until("the heading has the focus", `document.activeElement.tagName === "H2"`)
	b.Key(kb.Escape)
	b.Key(kb.Escape)
	b.Until("nothing is selected", `document.querySelector(".hello") !== null`)
	b.Key("?")
	b.Until("help is open", `document.querySelector("#help").open`)
	b.shot("view-help")
	b.Key(kb.Escape)
	b.Until("help is closed", `!document.querySelector("#help").open`)

	// Filters: without memories there are fewer nodes to find.
	b.Exec(`[...document.querySelectorAll("#filters .frow")].find(r => r.innerText.startsWith("MemoryItem")).querySelector("input").click()`)
	b.search("用户晚上改喝大麦茶，不再喝乌龙茶")
	if s := b.Text("#hits li:first-child .k"); strings.Contains(s, "MemoryItem") {
		t.Error("a filtered label is found")
	}
	b.Key(kb.Escape)
	b.Key(kb.Escape)
	b.Exec(`document.querySelector("#filters .link").click()`)

	// Changes: three, newest first.
	b.Click("#tab-changes")
	b.Until("three changes", `document.querySelectorAll("#changes .time > li").length === 3`)
	if s := b.Text("#changes"); strings.Index(s, "先扩容，再排空") > strings.Index(s, "大麦茶") || !strings.Contains(s, "newer evidence") {
		t.Errorf("the changes are not the newest first:\n%s", s)
	}
	b.Click(`#changes [data-kind="Claim"]`)
	b.selected("claim:HANDLED_BY")

	// The pointer hits what it points at: the selected node stands in the middle after reveal.
	b.Key(kb.Escape)
	b.search("The Quiet Harbour")
	b.Key(kb.Enter)
	b.Key("0") // the whole map again
	b.Key("f")
	b.shot("view-focus")

	// Dark, and Chinese words.
	b.Key("t")
	b.Until("dark", `document.documentElement.dataset.theme === "dark"`)
	b.Key("l")
	b.Until("Chinese", `document.documentElement.lang === "zh-CN" && document.querySelector("#tab-details").innerText === "详情"`)
	b.Key(kb.Escape)
	b.Key(kb.Escape)
	b.search("p99")
	b.Key(kb.Enter)
	b.selected("event:ops01:1")
	b.shot("view-dark")

	// An address with an id opens there; a page without Chinese is not asked for it.
	b.Exec(`location.hash = "#" + encodeURIComponent("topic:乌龙茶")`)
	b.selected("topic:乌龙茶")
	b.Clean()
}

func TestBrowserPointer(t *testing.T) {
	exttest.Need(t, "chromium")
	v := newInventor()
	v.node("Tag", "tag:one", "display", "one")
	file, _ := write(t, seq(v.out), Options{})
	b := open(t, file, "zh-CN", 1300, 800)
	if s := b.Text("#tab-details"); s != "详情" {
		t.Errorf("a Chinese browser shows %q", s)
	}
	// A single node stands in the middle of the map.
	x := browsertest.Eval[float64](b.Tab, `(r => r.left + r.width / 2)(document.querySelector("#map").getBoundingClientRect())`)
	y := browsertest.Eval[float64](b.Tab, `(r => r.top + r.height / 2)(document.querySelector("#map").getBoundingClientRect())`)
	b.Do(chromedp.MouseClickXY(x, y))
	b.selected("tag:one")
	b.Do(chromedp.MouseClickXY(x+120, y+120))
	b.Until("a click beside it deselects", `document.querySelector(".hello") !== null`)
	b.Clean()
}

// An empty graph says so.
func TestBrowserEmpty(t *testing.T) {
	exttest.Need(t, "chromium")
	file, _ := write(t, seq(nil), Options{})
	b := open(t, file, "en-US", 1300, 800)
	if s := b.Text("#notice"); s != "This graph has no nodes." {
		t.Errorf("notice %q", s)
	}
	b.Clean()
}

// TestBrowserSpeed prints size, time to the first frame, time until properties are
// read, and the time of frames while panning and zooming.
func TestBrowserSpeed(t *testing.T) {
	if !*measure {
		t.Skip("takes a minute: run with -measure")
	}
	for _, n := range []int{5000, 50000} {
		es := dialogues(n)
		began := time.Now()
		file, st := write(t, seq(es), Options{Title: fmt.Sprint(n, " nodes")})
		made := time.Since(began)
		b := open(t, file, "en-US", 1440, 900)
		marks := browsertest.Eval[struct{ First, Ready float64 }](b.Tab, `({First: performance.getEntriesByName("view:first-frame")[0].startTime, Ready: performance.getEntriesByName("view:ready")[0].startTime})`)
		b.shot(fmt.Sprintf("view-%d", n))
		frames := func(step string) (median, p95 float64) {
			out := browsertest.Eval[[]float64](b.Tab, `new Promise(done => {
  const map = document.querySelector("#map"), r = map.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2, times = [];
  const fire = (type, o) => map.dispatchEvent(new PointerEvent(type, {pointerId: 1, bubbles: true, ...o}));
  map.setPointerCapture = () => {};
  let n = 0, last = 0;
  const next = now => {
    if (last) times.push(now - last);
    last = now;
    if (++n > 90) { fire("pointerup", {clientX: x, clientY: y}); times.sort((a, b) => a - b); done([times[times.length >> 1], times[Math.floor(times.length * 0.95)]]); return; }
    `+step+`
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`)
			return out[0], out[1]
		}
		pan := `if (n === 1) fire("pointerdown", {clientX: x, clientY: y}); fire("pointermove", {clientX: x + 150 * Math.sin(n / 8), clientY: y + 90 * Math.cos(n / 9)});`
		zoom := `map.dispatchEvent(new WheelEvent("wheel", {deltaY: n < 46 ? -60 : 60, clientX: x, clientY: y, cancelable: true}));`
		panMid, panHigh := frames(pan)
		time.Sleep(400 * time.Millisecond)
		zoomMid, zoomHigh := frames(zoom)
		for range 5 {
			b.Do(chromedp.KeyEvent("+"))
		}
		b.shot(fmt.Sprintf("view-%d-near", n))
		inMid, inHigh := frames(pan)
		t.Logf("%d nodes, %d edges: made in %.1f s, %.2f MB, first frame %.0f ms, ready %.0f ms; frames (median, 95%%): pan %.0f, %.0f ms; zoom %.0f, %.0f ms; pan zoomed in %.0f, %.0f ms",
			st.Nodes, st.Edges, made.Seconds(), float64(st.Bytes)/1e6, marks.First, marks.Ready, panMid, panHigh, zoomMid, zoomHigh, inMid, inHigh)
		b.search("茶")
		b.Key(kb.Enter)
		b.shot(fmt.Sprintf("view-%d-search", n))
		b.Clean()
		if st.Nodes < 10000 && panMid > 34 {
			t.Errorf("a frame at %d nodes takes %.0f ms, want at most 34", st.Nodes, panMid)
		}
	}
}

// TestBrowserPeople opens ten thousand turns: the page starts with people, what is known
// of them and what contradicts itself; turns unfold from a claim; the list and the filters
// by person and time stay usable.
func TestBrowserPeople(t *testing.T) {
	exttest.Need(t, "chromium")
	file, st := write(t, seq(dialogues(15600)), Options{Title: "Ten thousand turns"})
	if st.Labels["Event"] < 10000 {
		t.Fatalf("%d turns, want 10,000", st.Labels["Event"])
	}
	b := open(t, file, "en-US", 1440, 900)
	number := func(js string) int {
		return browsertest.Eval[int](b.Tab, `(s => Number((s.match(/[\d,]+/) || ["-1"])[0].replaceAll(",", "")))(`+js+`)`)
	}
	b.Until("people are shown first", `document.querySelector("#tab-people").getAttribute("aria-selected") === "true"`)
	if n := browsertest.Eval[int](b.Tab, `document.querySelectorAll("#people [data-person]").length`); n < 5 {
		t.Errorf("%d people on the first page, want 5 or more", n)
	}
	if s := b.Text("#open"); !strings.Contains(s, "Open contradictions") || !strings.Contains(s, "dislikes topic") {
		t.Errorf("the contradictions read %q", s)
	}
	b.Until("the latest changes are there", `document.querySelectorAll("#news .clash").length === 3`)
	b.shot("view-people")

	// The map holds people and what is known; a claim unfolds its turns.
	b.Key("0")
	inView := `document.querySelector("#status").textContent`
	b.Until("the map says how much it shows", inView+`.includes("nodes in view")`)
	folded := number(inView)
	if turns := st.Labels["Event"] + st.Labels["MemoryItem"]; folded < 100 || folded > st.Nodes-turns {
		t.Errorf("%d nodes in view, want the %d that are not turns or memories, or fewer", folded, st.Nodes-turns)
	}
	b.Click("#people .fact")
	b.selected("claim:")
	b.Click(`#details [data-kind="MemoryItem"]`)
	b.selected("mem:")
	b.Click(`#details [data-kind="Event"]`)
	b.selected("event:")
	b.shot("view-people-turn")
	b.Key(kb.Escape)
	b.Key(kb.Escape)
	b.Until("people again", `!document.querySelector("#people").hidden`)

	// The list holds all, and draws few.
	b.Key("i")
	b.Until("the list is there", `document.querySelectorAll("#list .row").length > 5`)
	const head = `document.querySelector("#list .head").innerText`
	if n := number(head); n != st.Nodes {
		t.Errorf("the list counts %d, want %d", n, st.Nodes)
	}
	first := b.Text("#list .row .t")
	b.Exec(`document.querySelector("#list .scroll").scrollTop = 200000`)
	b.Until("other rows", fmt.Sprintf(`document.querySelectorAll("#list .row").length > 5 && document.querySelector("#list .row .t").innerText !== %q`, first))
	if n := browsertest.Eval[int](b.Tab, `document.querySelectorAll("#list .row").length`); n > 60 {
		t.Errorf("the list draws %d rows", n)
	}
	b.shot("view-list")
	b.Click("#list .head .link")
	b.Until("oldest first", head+`.includes("oldest first")`)
	if s := b.Text("#list .row .k"); !strings.Contains(s, "2026-03-01") {
		t.Errorf("the oldest is %q", s)
	}

	// By person, by kind, by time.
	set := func(id, value string) {
		b.Exec(fmt.Sprintf(`(f => { f.value = %q; f.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector(%q))`, value, id))
	}
	set("#person", "user:user03")
	b.Until("fewer rows", head+` !== ""`)
	one := number(head)
	if one < 100 || one > st.Nodes/4 {
		t.Errorf("one person has %d of %d nodes", one, st.Nodes)
	}
	set("#time-from", "2026-03-04")
	set("#time-to", "2026-03-04")
	if day := number(head); day < 10 || day >= one {
		t.Errorf("one day of one person has %d nodes, want fewer than %d", day, one)
	}
	b.Exec(`[...document.querySelectorAll("#filters .frow")].find(r => r.innerText.startsWith("Event")).querySelector(".only").click()`)
	b.Key("i")
	if s := browsertest.Eval[[]string](b.Tab, `[...document.querySelectorAll("#list .row .k")].map(r => r.innerText).filter(s => !/^Event · 2026-03-04/.test(s))`); len(s) > 0 {
		t.Errorf("rows that no filter should pass: %q", s)
	}

	// Everything at once is still drawn in time.
	set("#person", "")
	set("#time-from", "")
	set("#time-to", "")
	b.Key("e")
	b.Until("everything", `document.querySelector("#level-everything").checked`)
	if m := median(b, 40); m > 250 {
		t.Errorf("a frame takes %.0f ms", m)
	}
	b.Clean()
}

// median is the time of a frame, in milliseconds, while the map is moved.
func median(b tab, n int) float64 {
	return browsertest.Eval[float64](b.Tab, fmt.Sprintf(`new Promise(done => {
  const map = document.querySelector("#map"), times = []; let n = 0, last = 0;
  const next = now => {
    if (last) times.push(now - last);
    last = now;
    if (++n > %d) { times.sort((a, b) => a - b); done(times[times.length >> 1]); return; }
    map.dispatchEvent(new WheelEvent("wheel", {deltaY: n %% 2 ? -60 : 60, clientX: 600, clientY: 400, cancelable: true}));
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`, n))
}

// TestOverview holds what the page opens on: people before things, what is known of
// them now and before, and which claims contradict each other.
func TestOverview(t *testing.T) {
	v := newInventor()
	v.node("User", "user:ana", "display", "ana")
	v.node("Character", "char:ana", "display", "ana")
	v.node("Service", "service:db", "display", "db")
	v.edge("ACTOR", "user:ana", "char:ana")
	day := func(d int) string { return fmt.Sprintf("2026-03-%02dT10:00:00Z", d) }
	likes := v.claim("char:ana", "PREFERS_TOPIC", "daily", "Topic", "tea", "active", day(1))
	hates := v.claim("char:ana", "DISLIKES_TOPIC", "daily", "Topic", "tea", "active", day(2))
	v.claim("char:ana", "DISLIKES_TOPIC", "daily", "Topic", "rain", "active", day(3))
	oslo := v.claim("char:ana", "LIVES_IN", "life", "Topic", "Oslo", "active", day(4))
	porto := v.claim("char:ana", "LIVES_IN", "life", "Topic", "Porto", "active", day(5))
	bonn := v.claim("char:ana", "LIVES_IN", "life", "Topic", "Bonn", "deprecated", day(1))
	v.claim("service:db", "HANDLED_BY", "ops", "Action", "restart", "active", day(9))
	b, _ := page(t, v.out, Options{})
	h := readHeader(t, b)
	if len(h.People) != 2 || h.IDs[h.People[0].Node] != "char:ana" || !h.People[0].Is || h.IDs[h.People[1].Node] != "service:db" || h.People[1].Is {
		t.Fatalf("people: %+v", h.People)
	}
	ids := func(is []int) (out []string) {
		for _, i := range is {
			out = append(out, h.IDs[i])
		}
		return out
	}
	ana := h.People[0]
	if have := ids(ana.Same); len(have) != 1 || have[0] != "user:ana" {
		t.Errorf("ana is also %q", have)
	}
	if len(ana.Known) != 5 || h.IDs[ana.Known[0]] != porto || len(ana.Was) != 1 || h.IDs[ana.Was[0]] != bonn {
		t.Errorf("known %q, was %q", ids(ana.Known), ids(ana.Was))
	}
	var open []string
	for _, g := range h.Open {
		open = append(open, strings.Join(ids(g), " / "))
	}
	if want := []string{porto + " / " + oslo, hates + " / " + likes}; fmt.Sprint(open) != fmt.Sprint(want) {
		t.Errorf("open contradictions %q, want %q", open, want)
	}
}
