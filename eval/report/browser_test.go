package report_test

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

	"membench/eval/report"
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
)

var picture = flag.String("picture", "", "write all screenshots to this `folder`; -update refreshes those in docs/img")

// A tab is one page in a headless Chromium, and what must not happen there.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu     sync.Mutex
	faults []string // console messages, exceptions, requests beyond the page and its side files
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
	folder := address(t, filepath.Dir(file))
	err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.fault("exception: %s %v", ev.ExceptionDetails.Text, ev.ExceptionDetails.Exception)
		case *runtime.EventConsoleAPICalled:
			b.fault("console: %s %s", ev.Type, ev.Args[0].Value)
		case *log.EventEntryAdded:
			b.fault("log: %s %s", ev.Entry.Level, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, folder) && !strings.HasPrefix(u, "data:") {
				b.fault("request: %s", u)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	b.media("", "light")
	b.do(chromedp.EmulateViewport(int64(w), int64(h)))
	b.visit(file, "")
	return b
}

func address(t testing.TB, file string) string {
	t.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
}

func (b *tab) visit(file, hash string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address(b.t, file) + hash))
	b.until("the page is ready", `document.documentElement.dataset.ready === "true"`)
}

func (b *tab) media(medium, scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
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

// key presses a key as a keyboard does.
func (b *tab) key(k string) {
	b.t.Helper()
	call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k, UnmodifiedText: k})
	call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k})
}

// choose takes a value of a filter and waits for the list.
func (b *tab) choose(filter, value string) {
	b.t.Helper()
	b.exec(fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event("change")); })(document.querySelector('select[data-filter=%q]'))`, value, filter))
}

func (b *tab) listed(n int) {
	b.t.Helper()
	b.until(fmt.Sprintf("%d answers listed", n), fmt.Sprintf(`document.querySelectorAll("#list li").length === %d`, n))
}

// shot photographs the window; pictures of the example and -update are those of the documents.
func (b *tab) shot(name string) {
	b.t.Helper()
	time.Sleep(200 * time.Millisecond)
	img, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if p, err := png.Decode(bytes.NewReader(img)); err != nil || p.Bounds().Dx() < 300 {
		b.t.Errorf("screenshot %s: %v", name, err)
	}
	folder := *picture
	if *update && (name == "report" || name == "report-answer") {
		folder = filepath.Join("..", "..", "docs", "img")
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
	b.faults = nil
}

// TestBrowser walks from the tables over the plots to single answers, by pointer and
// keys, in both languages and themes, on a desk and a phone and on paper.
func TestBrowser(t *testing.T) {
	exttest.Need(t, "chromium")
	town := town
	town.hostile = false
	file := page(t, report.Options{Embed: 60, Title: "Town memories · 小镇记忆", Runs: []report.Run{{Path: "runs/town"}}}, town.seq())
	b := open(t, file, "en-US", 1280, 900)
	if s := b.text("h2"); s != "town (12 cases, 180 questions)" {
		t.Errorf("the first heading is %q", s)
	}
	b.shot("town-top")
	if n := eval[int](b, `document.querySelectorAll("svg.plot").length`); n != 5 {
		t.Errorf("%d plots, want bars, losses, tokens, cost and latency", n)
	}
	// Every plot has a name, and every mark that is wider than a hair says its number.
	if s := eval[string](b, `[...document.querySelectorAll("svg.plot")].filter(s => !document.getElementById(s.getAttribute("aria-labelledby"))?.innerText).length + " " + [...document.querySelectorAll("svg .bar, svg .hop")].filter(r => !r.querySelector("title") && r.getAttribute("width") !== "12").length`); s != "0 0" {
		t.Errorf("plots without a name, marks without one: %s", s)
	}
	// No text leaves its picture.
	if s := eval[string](b, `[...document.querySelectorAll("svg.plot")].flatMap(s => { const w = s.getBoundingClientRect(); return [...s.querySelectorAll("text")].filter(t => { const r = t.getBoundingClientRect(); return r.width && (r.right > w.right + 1 || r.left < w.left - 1 || r.bottom > w.bottom + 1); }).map(t => t.textContent); }).join("|")`); s != "" {
		t.Errorf("texts beyond the edge of their plot: %s", s)
	}
	b.exec(`document.querySelector("svg.plot").scrollIntoView()`)
	b.shot("town-bars")
	b.exec(`document.querySelectorAll("svg.plot")[2].scrollIntoView()`)
	b.shot("town-scatter")
	b.exec(`document.querySelectorAll("svg.plot")[4].scrollIntoView({block: "center"})`)
	b.shot("town-latency")

	// A segment of the plot leads to its answers: all of them, from the side files.
	want := 0
	for _, l := range build(t, report.Options{}, "", town.seq()).Datasets[0].Systems {
		if l.Name() == "bm25" {
			want = l.Lost().Hops["retrieve"]
		}
	}
	b.exec(`document.querySelector('svg a[href*="system=bm25&hop=retrieve"]').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, view: window}))`)
	b.until("the filter is set", `document.querySelector('select[data-filter="hop"]').value === "retrieve"`)
	b.listed(want)
	b.click("#list li:nth-child(2) a")
	b.until("the answer is shown", `document.querySelector("#answer h3") !== null && document.activeElement.tagName === "H3"`)
	s := b.text("#answer")
	for _, w := range []string{"Where it was lost", "not retrieved · miss", "bm25", "Gold below k, at rank", "Context shown to the reader", "rule@2"} {
		if !strings.Contains(s, w) {
			t.Errorf("the answer does not show %q:\n%s", w, s)
		}
	}
	b.shot("town-answer")
	first := eval[string](b, "location.hash")
	b.key("j")
	b.until("the next answer", fmt.Sprintf("location.hash !== %q && document.querySelector('#answer h3') !== null", first))
	b.key("k")
	b.until("back again", fmt.Sprintf("location.hash === %q", first))

	// Search in Chinese over everything.
	b.exec(`document.activeElement.blur()`)
	b.click("#clear")
	b.until("cleared", `document.querySelector("#count").innerText === "1,440 answers"`)
	b.key("/")
	b.until("the search has the focus", `document.activeElement.id === "q"`)
	call(b, input.InsertText, input.InsertTextParams{Text: "望远镜 林越"})
	b.until("found", `[...document.querySelectorAll("#list .t")].length > 0 && [...document.querySelectorAll("#list .t")].every(t => t.innerText.includes("望远镜") && t.innerText.includes("林越"))`)
	b.click("#clear")
	b.until("cleared again", `document.querySelector("#q").value === "" && document.querySelectorAll("#list li").length === 100`)
	b.click("#more")
	b.listed(200)

	// An address opens an answer; one that is not embedded comes from a side file.
	b.visit(file, "#answer=1439")
	b.until("the last answer", `document.querySelector("#answer").innerText.includes("case-11/q14")`)
	if s := b.text("#answer"); !strings.Contains(s, "null") {
		t.Errorf("the last answer is %q", s)
	}
	b.exec(`document.activeElement.blur()`)
	b.key("l")
	b.until("Chinese", `document.documentElement.lang === "zh-CN" && document.querySelector("h2").innerText === "town（12 个案例，180 个问题）" && document.querySelector("#answer").innerText.includes("标准答案")`)
	b.key("t")
	b.until("dark", `getComputedStyle(document.body).backgroundColor === "rgb(16, 19, 23)"`)
	b.exec(`document.querySelector("svg.plot").scrollIntoView()`)
	b.shot("town-dark")
	b.clean()

	// On a phone nothing is wider than the window but what scrolls by itself.
	b.do(chromedp.EmulateViewport(390, 844))
	if n := eval[int](b, "document.documentElement.scrollWidth"); n > 390 {
		t.Errorf("the page is %d wide on a phone of 390", n)
	}
	b.shot("town-phone")
	// In print: light, the tables whole, no controls.
	b.do(chromedp.EmulateViewport(1000, 1400))
	b.media("print", "dark")
	if s := eval[string](b, `getComputedStyle(document.body).backgroundColor + " " + getComputedStyle(document.querySelector("#filters")).display`); s != "rgb(255, 255, 255) none" {
		t.Errorf("printed: %s", s)
	}
	b.exec(`scrollTo(0, 0)`)
	b.shot("town-print")
	b.clean()
}

// example is a run of examples/measure, explained: see its README.
func example() schema.Seq[schema.QARecord] {
	return jsonl.Files[schema.QARecord]([]string{"testdata/town-run.jsonl.zst"}, nil)
}

// TestBrowserExample opens the page of a real run, by rule and over invented dialogues,
// whose pictures the documents show.
func TestBrowserExample(t *testing.T) {
	exttest.Need(t, "chromium")
	file := page(t, report.Options{Title: "Town: eight systems, by rule", Runs: []report.Run{{Path: "out/town"}}}, example())
	b := open(t, file, "en-US", 1200, 1000)
	if n := eval[int](b, `document.querySelectorAll("svg.plot").length`); n != 4 {
		t.Errorf("%d plots, want bars, losses, tokens and latency: nobody paid for a model", n)
	}
	if s := b.text("main"); !strings.Contains(s, "no model was asked") || strings.Contains(s, "cost in") {
		t.Error("a run by rule shows what it cost")
	}
	b.shot("report")
	b.visit(file, "#answers&system=full-context&verdict=wrong&category=KU")
	b.until("its answers are listed", `document.querySelectorAll("#list li").length > 3`)
	b.click("#list li:nth-child(2) a")
	b.until("one is shown", `document.querySelector("#answer h3") !== null && document.querySelector("#answer").innerText.includes("Where it was lost")`)
	b.exec(`document.querySelector("#answers").scrollIntoView()`)
	b.shot("report-answer")
	b.clean()
}

// Hostile texts are shown, and do not run, in the page and in what it loads.
func TestBrowserHostile(t *testing.T) {
	exttest.Need(t, "chromium")
	v := invention{systems: []string{"bm25", "fused"}, dataset: "set " + hostileText, cases: 3, questions: 20, hostile: true}
	file := page(t, report.Options{Embed: 5, Title: hostileText}, v.seq())
	b := open(t, file, "en-US", 1200, 800)
	b.choose("all", "1")
	b.listed(100)
	b.visit(file, "#answer=59")
	b.until("shown", `document.querySelector("#answer h3")?.innerText.includes("</script>") ?? false`)
	b.until("the context, too", `document.querySelector("#answer pre").innerText.includes("window.ran=1")`)
	if eval[bool](b, "window.ran === 1 || document.querySelectorAll('img').length > 0") {
		t.Error("a text of the data ran")
	}
	b.clean()
}

// Without its side files the page says what is missing; a small run needs none.
func TestBrowserAlone(t *testing.T) {
	exttest.Need(t, "chromium")
	file := page(t, report.Options{Embed: 8}, town.seq())
	if err := os.RemoveAll(filepath.Join(filepath.Dir(file), "report_files")); err != nil {
		t.Fatal(err)
	}
	b := open(t, file, "en-US", 1200, 800)
	b.choose("all", "1")
	b.until("the missing folder is named", `document.querySelector("#count").innerText.includes("report_files")`)
	small := page(t, report.Options{}, invention{systems: []string{"bm25"}, dataset: "town", cases: 2, questions: 3}.seq())
	b = open(t, small, "en-US", 1200, 800)
	b.listed(6)
	if eval[bool](b, `document.querySelector('select[data-filter="all"]') !== null`) {
		t.Error("a page that holds everything offers to load more")
	}
	b.clean()
}

// A search goes through a hundred thousand answers.
func TestBrowserMany(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	exttest.Need(t, "chromium")
	v := invention{systems: []string{"bm25", "fused"}, dataset: "town", cases: 100, questions: 500}
	file := page(t, report.Options{}, v.seq())
	b := open(t, file, "en-US", 1200, 800)
	b.visit(file, "#answers&q=case-99/q499&all=1")
	b.listed(2)
	b.click("#list li:last-child a")
	b.until("the last answer", `document.querySelector("#answer h3") !== null && document.querySelector("#answer").innerText.includes("fused")`)
	b.visit(file, "#answers&all=1&hop=retrieve")
	b.until("a page of them", `document.querySelectorAll("#list li").length === 100`)
	b.clean()
}
