package cli

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"membench/cypher/browser"
	"membench/cypher/neo4j/server"
	"membench/internal/codec"
	"membench/internal/exttest"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// What the demo graph has none of: two claims that contradict, a node on which nothing
// hangs, a claim of everyday life.
const browserExtraNodes = `{"id":"tag:lonely 孤","labels":["Tag"],"props":{"name":"lonely 孤"}}
{"id":"tag:vivid 生动","labels":["Tag"],"props":{"name":"vivid 生动"}}
{"id":"dom:user:lin:writing","labels":["Domain"],"props":{"domain":"writing","display":"writing"}}
{"id":"pred:user:lin:writing:SELF_TRAIT","labels":["Predicate"],"props":{"predicate":"SELF_TRAIT","domain":"writing"}}
{"id":"pred:user:lin:writing:LACKS_TRAIT","labels":["Predicate"],"props":{"predicate":"LACKS_TRAIT","domain":"writing"}}
{"id":"claim:SELF_TRAIT|writing|user:lin|tag:vivid","labels":["Claim"],"props":{"predicate":"SELF_TRAIT","domain":"writing","confidence":0.8,"status":"active","display":"SELF_TRAIT (writing)"}}
{"id":"claim:LACKS_TRAIT|writing|user:lin|tag:vivid","labels":["Claim"],"props":{"predicate":"LACKS_TRAIT","domain":"writing","confidence":0.7,"status":"active","display":"LACKS_TRAIT (writing)"}}
{"id":"dom:user:sam:life","labels":["Domain"],"props":{"domain":"life","display":"life"}}
{"id":"pred:user:sam:life:HAS_HABIT","labels":["Predicate"],"props":{"predicate":"HAS_HABIT","domain":"life"}}
{"id":"claim:HAS_HABIT|life|user:sam|tag:early riser","labels":["Claim"],"props":{"predicate":"HAS_HABIT","domain":"life","confidence":0.8,"status":"active","display":"HAS_HABIT (life)"}}
`

const browserExtraEdges = `{"id":"edge:HAS_DOMAIN:user:lin:dom:user:lin:writing","type":"HAS_DOMAIN","src":"user:lin","dst":"dom:user:lin:writing","props":{}}
{"id":"edge:HAS_PREDICATE:dom:user:lin:writing:pred:user:lin:writing:SELF_TRAIT","type":"HAS_PREDICATE","src":"dom:user:lin:writing","dst":"pred:user:lin:writing:SELF_TRAIT","props":{}}
{"id":"edge:HAS_PREDICATE:dom:user:lin:writing:pred:user:lin:writing:LACKS_TRAIT","type":"HAS_PREDICATE","src":"dom:user:lin:writing","dst":"pred:user:lin:writing:LACKS_TRAIT","props":{}}
{"id":"edge:HAS_CLAIM:pred:user:lin:writing:SELF_TRAIT:claim:SELF_TRAIT|writing|user:lin|tag:vivid","type":"HAS_CLAIM","src":"pred:user:lin:writing:SELF_TRAIT","dst":"claim:SELF_TRAIT|writing|user:lin|tag:vivid","props":{}}
{"id":"edge:HAS_CLAIM:pred:user:lin:writing:LACKS_TRAIT:claim:LACKS_TRAIT|writing|user:lin|tag:vivid","type":"HAS_CLAIM","src":"pred:user:lin:writing:LACKS_TRAIT","dst":"claim:LACKS_TRAIT|writing|user:lin|tag:vivid","props":{}}
{"id":"edge:ABOUT:claim:SELF_TRAIT|writing|user:lin|tag:vivid:tag:vivid 生动","type":"ABOUT","src":"claim:SELF_TRAIT|writing|user:lin|tag:vivid","dst":"tag:vivid 生动","props":{}}
{"id":"edge:ABOUT:claim:LACKS_TRAIT|writing|user:lin|tag:vivid:tag:vivid 生动","type":"ABOUT","src":"claim:LACKS_TRAIT|writing|user:lin|tag:vivid","dst":"tag:vivid 生动","props":{}}
{"id":"edge:HAS_DOMAIN:user:sam:dom:user:sam:life","type":"HAS_DOMAIN","src":"user:sam","dst":"dom:user:sam:life","props":{}}
{"id":"edge:HAS_PREDICATE:dom:user:sam:life:pred:user:sam:life:HAS_HABIT","type":"HAS_PREDICATE","src":"dom:user:sam:life","dst":"pred:user:sam:life:HAS_HABIT","props":{}}
{"id":"edge:HAS_CLAIM:pred:user:sam:life:HAS_HABIT:claim:HAS_HABIT|life|user:sam|tag:early riser","type":"HAS_CLAIM","src":"pred:user:sam:life:HAS_HABIT","dst":"claim:HAS_HABIT|life|user:sam|tag:early riser","props":{}}
{"id":"edge:ABOUT:claim:HAS_HABIT|life|user:sam|tag:early riser:tag:early riser","type":"ABOUT","src":"claim:HAS_HABIT|life|user:sam|tag:early riser","dst":"tag:early riser","props":{}}
{"id":"edge:EVIDENCED_BY:claim:HAS_HABIT|life|user:sam|tag:early riser:mem:a10fb1ae16cf2533d1e8b1a65c896a85","type":"EVIDENCED_BY","src":"claim:HAS_HABIT|life|user:sam|tag:early riser","dst":"mem:a10fb1ae16cf2533d1e8b1a65c896a85","props":{}}
`

// shots are the queries whose drawing stands in the docs (UPDATE_SCREENSHOTS=1 takes
// them anew).
var shots = map[string]bool{"person": true, "evidence": true, "changes": true, "contradictions": true, "source-lines": true, "failures": true}

// TestNeo4jBrowser does what docs/neo4j.md tells a person to do, with the real server
// and the Browser that it serves: log in, drop the style and the queries on the
// window, run each saved query, look.
func TestNeo4jBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a server and a browser: about a minute")
	}
	lib := exttest.Neo4jLib()
	exttest.Need(t, "java", lib, "chromium")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	home, dir := t.TempDir(), t.TempDir()
	st, err := server.Up(ctx, server.Java, server.Config{Lib: lib, Home: home, HeapMB: 320, Password: "correct-horse 密码"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Down(context.Background(), home)
	exttest.EndWith(t, st.PID)

	cli := func(args ...string) []byte {
		t.Helper()
		var out, words bytes.Buffer
		vars := map[string]string{"NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": "correct-horse 密码", "MEMBENCH_NEO4J_HOME": home, "NEO4J_URI": st.URI}
		e := &env{in: strings.NewReader(""), out: &out, err: &words, getenv: func(k string) string { return vars[k] }, now: time.Now}
		if code := run(ctx, e, args); code != exitFine {
			t.Fatalf("membench %s: exit %d\n%s", strings.Join(args, " "), code, &words)
		}
		return out.Bytes()
	}
	extra := filepath.Join(dir, "extra")
	for name, text := range map[string]string{"nodes.jsonl": browserExtraNodes, "edges.jsonl": browserExtraEdges} {
		if err := os.MkdirAll(extra, 0o777); err != nil {
			t.Fatal(err)
		}
		demo, err := os.ReadFile(filepath.Join(demoGraph, name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text) { // what the demo graph has is there once
			if id, _, _ := strings.Cut(line, ","); !bytes.Contains(demo, []byte(strings.Replace(id, `":"`, `": "`, 1))) {
				demo = append(demo, line...)
			}
		}
		if err := os.WriteFile(filepath.Join(extra, name), demo, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cli("load-neo4j", extra)
	demoFailures(t, filepath.Join(dir, "run"))
	cli("eval", "explain", filepath.Join(dir, "run"), "--graph", st.URI, "--graph-out", filepath.Join(dir, "failures"))
	cli("load-neo4j", filepath.Join(dir, "failures"))
	pack := filepath.Join(dir, "pack")
	var rep neo4jBrowserReport
	if err := codec.Unmarshal(cli("neo4j", "browser", "-o", pack, "--json"), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Browser != st.Browser || len(rep.Queries) < 10 {
		t.Fatalf("report: %+v", rep)
	}

	b := openBrowser(t, ctx, rep.Browser)
	b.login("neo4j", "correct-horse 密码")
	b.drop(filepath.Join(pack, "membench.grass"))
	b.until("the style is shown", `(document.querySelector('[data-testid="frameContents"]')?.innerText ?? "").includes("node.Claim")`)
	b.drop(filepath.Join(pack, "membench-queries.zip"))
	b.click(`[data-testid="navigationFavorites"]`)
	b.until("the folder of queries", `document.querySelector('[data-testid="expandFolder-`+browser.Folder+`"]') !== null`)
	b.expand()
	for _, q := range rep.Queries {
		b.runSaved(q)
		t.Log(q.Name)
	}
}

// A neo4jBrowser is the page of Neo4j Browser in a headless Chromium.
type neo4jBrowser struct {
	t   *testing.T
	ctx context.Context
}

func openBrowser(t *testing.T, ctx context.Context, address string) *neo4jBrowser {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath("chromium"), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("headless", "new"), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), // it asks nobody else
		chromedp.WindowSize(1440, 640))
	alloc, stop := chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(stop)
	tab, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() { chromedp.Cancel(tab); cancel() })
	b := &neo4jBrowser{t: t, ctx: tab}
	b.do(chromedp.EmulateViewport(1440, 640), chromedp.Navigate(address))
	b.until("the login form", `document.querySelector('[data-testid="connect"]') !== null`)
	return b
}

func (b *neo4jBrowser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func evalIn[T any](b *neo4jBrowser, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v\n%s", err, js)
	}
	return v
}

// until waits for a condition, at most half a minute.
func (b *neo4jBrowser) until(what, js string) {
	b.t.Helper()
	for range 300 {
		if evalIn[bool](b, js) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Fatalf("waited in vain: %s; the page says:\n%s", what, evalIn[string](b, `document.body.innerText.slice(0, 2000)`))
}

func (b *neo4jBrowser) click(sel string) { b.t.Helper(); b.do(chromedp.Click(chromedp.CSS(sel))) }

// again does something until the page shows that it was done, every five seconds: what is
// clicked while the page still moves goes nowhere.
func (b *neo4jBrowser) again(what, act, done string) {
	b.t.Helper()
	for range 6 {
		evalIn[bool](b, "("+act+", true)")
		for range 50 {
			if evalIn[bool](b, done) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	b.until(what, done)
}

const connected = `/connected as user/.test(document.body.innerText) && document.querySelector('[data-testid="disconnectedBanner"]') === null`

func (b *neo4jBrowser) login(user, password string) {
	b.t.Helper()
	for _, f := range []struct{ field, text string }{{"username", user}, {"password", password}} {
		sel := `document.querySelector('[data-testid="` + f.field + `"]')`
		b.until("the field "+f.field, sel+" !== null")
		// The page may still be drawing: typing that went elsewhere is done again.
		for try := 0; ; try++ {
			evalIn[bool](b, `(`+sel+`.focus(), `+sel+`.select(), true)`)
			if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: f.text}); err != nil {
				b.t.Fatal(err)
			}
			if have := evalIn[string](b, sel+".value"); have == f.text {
				break
			} else if try == 20 {
				b.t.Fatalf("the field %s: typed %q, holds %q", f.field, f.text, have)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	b.again("connected", `document.querySelector('[data-testid="connect"]')?.click()`, connected)
}

// drop lets a file fall on the window.
func (b *neo4jBrowser) drop(path string) {
	b.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	list := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(content), "[]")), ",")
	evalIn[bool](b, fmt.Sprintf(`(() => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array([%s])], %q));
  return document.querySelector(".filedrop").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: data}));
})()`, list, filepath.Base(path)))
}

// runSaved clicks a saved query, runs it and looks at what it draws.
func (b *neo4jBrowser) runSaved(q browser.Query) {
	b.t.Helper()
	title := q.Title + " · " + q.TitleZH
	b.until("saved query "+title, fmt.Sprintf(`[...document.querySelectorAll('[data-testid^="scriptTitle-"]')].some(e => e.innerText.includes(%q))`, title))
	b.again("the query is in the editor", fmt.Sprintf(`[...document.querySelectorAll('[data-testid^="scriptTitle-"]')].find(e => e.innerText.includes(%q))?.click()`, title),
		fmt.Sprintf(`document.querySelector('[data-testid="activeEditor"]').innerText.replace(/\s/g, "").includes(%q)`, strings.Join(strings.Fields(q.Title), "")))
	const top = `document.querySelector('[data-testid="frame"]')`
	answered := fmt.Sprintf(`(() => {
  const f = %s;
  return (f?.querySelector('[data-testid="frameCommand"]')?.innerText ?? "").includes(%q) &&
    (f.querySelector(".node, table, [data-testid=cypherFrameErrorMessage]") !== null || /no changes|ERROR/.test(f.innerText));
})()`, top, q.Title)
	if q.Setup {
		answered = `/"?limit"?: 100/.test(` + top + `?.innerText ?? "")`
	}
	// What has begun to run is no longer in the editor, so that pressing again does nothing.
	b.again("an answer to "+title, `document.querySelector('[data-testid="editor-Run"]')?.click()`, answered)
	if q.Setup {
		return
	}
	if e := evalIn[string](b, top+`.querySelector('[data-testid="cypherFrameErrorMessage"]')?.innerText ?? ""`); e != "" {
		b.t.Errorf("%s: %s", q.Name, e)
		return
	}
	if q.Table {
		if n := evalIn[int](b, top+`.querySelectorAll("table tbody tr").length`); n < 2 {
			b.t.Errorf("%s: a table of %d rows", q.Name, n)
		}
	} else {
		drawn := evalIn[int](b, top+`.querySelectorAll("g.node").length`)
		// The panel beside the drawing counts what the server sent: * (25)
		said := evalIn[string](b, `(`+top+`.innerText.match(/\*\s*\(\s*(\d+)\s*\)/) ?? ["", "0"])[1]`)
		if n, err := strconv.Atoi(said); err != nil || drawn == 0 || n != drawn {
			b.t.Errorf("%s: %d nodes are drawn, the panel says %q", q.Name, drawn, said)
		}
		if !strings.HasSuffix(q.Name, "orphans") && evalIn[int](b, top+`.querySelectorAll("g.relationship").length`) == 0 {
			b.t.Errorf("%s: no relationship is drawn", q.Name)
		}
		// The colour of claims, or of what has none, comes from the style.
		if strings.Contains(q.Text, ":Claim") && evalIn[int](b, top+`.querySelectorAll('g.node circle[fill="#d55e00"]').length`) == 0 {
			b.t.Errorf("%s: no claim has the colour of the style", q.Name)
		}
	}
	if _, name, _ := strings.Cut(q.Name, "-"); shots[name] && os.Getenv("UPDATE_SCREENSHOTS") != "" {
		b.shot("neo4j-" + name)
	}
}

// shot photographs the page without the drawer, once the drawing has come to rest.
func (b *neo4jBrowser) shot(name string) {
	b.t.Helper()
	b.click(`[data-testid="navigationFavorites"]`)
	time.Sleep(4 * time.Second)
	img, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if p, err := png.Decode(bytes.NewReader(img)); err != nil || p.Bounds().Dx() < 1000 {
		b.t.Errorf("screenshot %s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join("..", "docs", "img", name+".png"), img, 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.click(`[data-testid="navigationFavorites"]`)
	b.until("the drawer is open again", `document.querySelector('[data-testid^="savedScriptsFolder-"]') !== null`)
	b.expand()
}

// expand opens the folder of queries.
func (b *neo4jBrowser) expand() {
	b.t.Helper()
	const open = `document.querySelector('[data-testid^="scriptTitle-"]') !== null`
	b.again("the queries of the folder", open+` || document.querySelector('[data-testid="expandFolder-`+browser.Folder+`"]')?.click()`, open)
}
