package view

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	picture = flag.String("picture", "", "write all screenshots to this `folder`; -update refreshes those in docs/img")
	measure = flag.Bool("measure", false, "run TestBrowserSpeed, which takes a minute")
)

// A tab is one page in a headless Chromium, and what must not happen there.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu     sync.Mutex
	faults []string // console errors, exceptions, requests beyond the file itself
}

// open starts Chromium on the file. lang is what navigator.language says.
func open(t testing.TB, file, lang string, w, h int) *tab {
	t.Helper()
	exttest.Need(t, "chromium")
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath("chromium"), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("headless", "new"), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("lang", lang), chromedp.Flag("accept-lang", lang), chromedp.WindowSize(w, h),
	)
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() { chromedp.Cancel(ctx); cancel() })
	if err := chromedp.Do(ctx); err != nil { // starts the browser, whose life is this context's
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	page := (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
	err = chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.fault("exception: %s", description(ev.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			b.fault("console: %s %s", ev.Type, ev.Args[0].Value)
		case *log.EventEntryAdded:
			b.fault("log: %s %s", ev.Entry.Level, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if u, _, _ := strings.Cut(ev.Request.URL, "#"); u != page && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
				b.fault("request: %s", ev.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	b.do(chromedp.EmulateViewport(int64(w), int64(h)), chromedp.Navigate(page))
	b.until("the page is ready", `document.documentElement.dataset.ready === "true"`)
	return b
}

func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

// eval runs an expression, which may be a promise, and returns its value.
func eval[T any](b *tab, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v\n%s", err, js)
	}
	return v
}

func (b *tab) fault(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) exec(js string) { b.t.Helper(); eval[chromedp.Void](b, js) }

func (b *tab) text(sel string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", sel))
}

// until waits for a condition, at most ten seconds.
func (b *tab) until(what, js string) {
	b.t.Helper()
	for range 200 {
		if eval[bool](b, js) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("waited in vain: %s", what)
}

func (b *tab) click(sel string) { b.t.Helper(); b.do(chromedp.Click(chromedp.CSS(sel))) }

// key presses a key as a keyboard does: a printable one types its sign unless the
// page takes the key down for itself.
func (b *tab) key(k string) {
	b.t.Helper()
	if len(k) == 1 && k[0] > ' ' && k[0] < 0x7f {
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k, UnmodifiedText: k})
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k})
		return
	}
	b.do(chromedp.KeyEvent(k))
}

// search types a query and waits for its results.
func (b *tab) search(q string) {
	b.t.Helper()
	b.key("/")
	b.until("the search field has the focus", `document.activeElement.id === "q"`)
	if v := eval[string](b, `document.querySelector("#q").value`); v != "" {
		b.key(kb.Delete) // the slash selects what was there
	}
	call(b, input.InsertText, input.InsertTextParams{Text: q})
	b.until("results for "+q, fmt.Sprintf(`!document.querySelector("#drop").hidden && document.querySelector("#q").value === %q && document.querySelectorAll("#hits li").length > 0`, q))
}

func (b *tab) selected(want string) {
	b.t.Helper()
	b.until("selected is "+want, fmt.Sprintf(`(document.querySelector("#details .idrow code")?.textContent ?? "").startsWith(%q)`, want))
}

func (b *tab) shot(name string) {
	b.t.Helper()
	time.Sleep(300 * time.Millisecond)
	img, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if p, err := png.Decode(bytes.NewReader(img)); err != nil || p.Bounds().Dx() < 300 {
		b.t.Errorf("screenshot %s: %v", name, err)
	}
	folder := *picture
	if *update && (name == "view" || name == "view-dark") {
		folder = filepath.Join("..", "..", "docs", "img") // the README shows these
	}
	if folder == "" {
		return
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), img, 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.t.Error(f)
	}
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
	if s := b.text("#counts"); s != "132 nodes · 374 edges" {
		t.Errorf("counts say %q", s)
	}
	b.shot("view-start")

	// Search in Chinese: the claim comes before what merely mentions the words.
	b.search("大麦茶")
	if s := b.text("#hits li:first-child"); !strings.Contains(s, "大麦茶") {
		t.Errorf("first hit is %q", s)
	}
	b.key(kb.Escape) // closes the list
	b.key(kb.Escape) // empties the field and goes to the map
	b.search("PREFERS_TOPIC 大麦茶")
	b.key(kb.Enter)
	b.selected("claim:PREFERS_TOPIC|daily|user:lin|topic:大麦茶")

	// The walk down: memory, turn with its words, lines. The changed claim is named.
	s := b.text("#details")
	for _, want := range []string{"user:lin", "用户晚上改喝大麦茶，不再喝乌龙茶", "医生让我少喝茶，我现在晚上改喝大麦茶了。", "data/source/norm/ch03_barley.norm.md:7-8", "replaces", "lin PREFERS_TOPIC 乌龙茶", "0.86"} {
		if !strings.Contains(s, want) {
			t.Errorf("the details do not show %q", want)
		}
	}
	b.shot("view")
	b.click(`#details [data-kind="MemoryItem"]`)
	b.selected("mem:")
	b.click(`#details [data-kind="Event"]`)
	b.selected("event:ch03:1")
	b.click(`#details [data-kind="source"]`)
	b.selected("source:data/source/norm/ch03_barley.norm.md")
	// And up again: the source knows its turns, memories and claims.
	b.click(`#details [data-kind="Claim"]`)
	b.selected("claim:")
	b.key(kb.Backspace)
	b.selected("source:")
	if hash := eval[string](b, "decodeURIComponent(location.hash)"); hash != "#source:data/source/norm/ch03_barley.norm.md" {
		t.Errorf("the address says %q", hash)
	}

	// Keys: arrows walk along edges, Escape deselects, Tab stays in order.
	b.key(kb.Escape) // from the details to the map
	b.until("the map has the focus", `document.activeElement.id === "map"`)
	before := eval[string](b, "location.hash")
	for _, k := range []string{kb.ArrowLeft, kb.ArrowUp, kb.ArrowRight, kb.ArrowDown} {
		b.key(k)
	}
	if eval[string](b, "location.hash") == before {
		t.Error("the arrow keys select nothing")
	}
	b.key(kb.Enter)
	b.until("the heading has the focus", `document.activeElement.tagName === "H2"`)
	b.key(kb.Escape)
	b.key(kb.Escape)
	b.until("nothing is selected", `document.querySelector(".hello") !== null`)
	b.key("?")
	b.until("help is open", `document.querySelector("#help").open`)
	b.shot("view-help")
	b.key(kb.Escape)
	b.until("help is closed", `!document.querySelector("#help").open`)

	// Filters: without memories there are fewer nodes to find.
	b.exec(`[...document.querySelectorAll("#filters .frow")].find(r => r.innerText.startsWith("MemoryItem")).querySelector("input").click()`)
	b.search("用户晚上改喝大麦茶，不再喝乌龙茶")
	if s := b.text("#hits li:first-child .k"); strings.Contains(s, "MemoryItem") {
		t.Error("a filtered label is found")
	}
	b.key(kb.Escape)
	b.key(kb.Escape)
	b.exec(`document.querySelector("#filters .link").click()`)

	// Changes: three, newest first.
	b.click("#tab-changes")
	b.until("three changes", `document.querySelectorAll("#changes .time > li").length === 3`)
	if s := b.text("#changes"); strings.Index(s, "先扩容，再排空") > strings.Index(s, "大麦茶") || !strings.Contains(s, "newer evidence") {
		t.Errorf("the changes are not the newest first:\n%s", s)
	}
	b.click(`#changes [data-kind="Claim"]`)
	b.selected("claim:HANDLED_BY")

	// The pointer hits what it points at: the selected node stands in the middle after reveal.
	b.key(kb.Escape)
	b.search("The Quiet Harbour")
	b.key(kb.Enter)
	b.key("0") // the whole map again
	b.key("f")
	b.shot("view-focus")

	// Dark, and Chinese words.
	b.key("t")
	b.until("dark", `document.documentElement.dataset.theme === "dark"`)
	b.key("l")
	b.until("Chinese", `document.documentElement.lang === "zh-CN" && document.querySelector("#tab-details").innerText === "详情"`)
	b.key(kb.Escape)
	b.key(kb.Escape)
	b.search("p99")
	b.key(kb.Enter)
	b.selected("event:ops01:1")
	b.shot("view-dark")

	// An address with an id opens there; a page without Chinese is not asked for it.
	b.exec(`location.hash = "#" + encodeURIComponent("topic:乌龙茶")`)
	b.selected("topic:乌龙茶")
	b.clean()
}

func TestBrowserPointer(t *testing.T) {
	exttest.Need(t, "chromium")
	v := newInventor()
	v.node("Tag", "tag:one", "display", "one")
	file, _ := write(t, seq(v.out), Options{})
	b := open(t, file, "zh-CN", 1300, 800)
	if s := b.text("#tab-details"); s != "详情" {
		t.Errorf("a Chinese browser shows %q", s)
	}
	// A single node stands in the middle of the map.
	x := eval[float64](b, `(r => r.left + r.width / 2)(document.querySelector("#map").getBoundingClientRect())`)
	y := eval[float64](b, `(r => r.top + r.height / 2)(document.querySelector("#map").getBoundingClientRect())`)
	b.do(chromedp.MouseClickXY(x, y))
	b.selected("tag:one")
	b.do(chromedp.MouseClickXY(x+120, y+120))
	b.until("a click beside it deselects", `document.querySelector(".hello") !== null`)
	b.clean()
}

// An empty graph says so.
func TestBrowserEmpty(t *testing.T) {
	exttest.Need(t, "chromium")
	file, _ := write(t, seq(nil), Options{})
	b := open(t, file, "en-US", 1300, 800)
	if s := b.text("#notice"); s != "This graph has no nodes." {
		t.Errorf("notice %q", s)
	}
	b.clean()
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
		marks := eval[struct{ First, Ready float64 }](b, `({First: performance.getEntriesByName("view:first-frame")[0].startTime, Ready: performance.getEntriesByName("view:ready")[0].startTime})`)
		b.shot(fmt.Sprintf("view-%d", n))
		frames := func(step string) (median, p95 float64) {
			out := eval[[]float64](b, `new Promise(done => {
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
			b.do(chromedp.KeyEvent("+"))
		}
		b.shot(fmt.Sprintf("view-%d-near", n))
		inMid, inHigh := frames(pan)
		t.Logf("%d nodes, %d edges: made in %.1f s, %.2f MB, first frame %.0f ms, ready %.0f ms; frames (median, 95%%): pan %.0f, %.0f ms; zoom %.0f, %.0f ms; pan zoomed in %.0f, %.0f ms",
			st.Nodes, st.Edges, made.Seconds(), float64(st.Bytes)/1e6, marks.First, marks.Ready, panMid, panHigh, zoomMid, zoomHigh, inMid, inHigh)
		b.search("茶")
		b.key(kb.Enter)
		b.shot(fmt.Sprintf("view-%d-search", n))
		b.clean()
		if st.Nodes < 10000 && panMid > 34 {
			t.Errorf("a frame at %d nodes takes %.0f ms, want at most 34", st.Nodes, panMid)
		}
	}
}

func description(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}
