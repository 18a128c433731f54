// Package browsertest drives one page in a headless Chromium, for the tests of pages. A
// page that writes to the console, throws, or asks for anything beyond its own address is
// at fault.
package browsertest

import (
	"bytes"
	"context"
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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Tab is one page, and what must not happen there.
type Tab struct {
	T   testing.TB
	Ctx context.Context

	mu     sync.Mutex
	faults []string
}

// Open starts Chromium on an address. lang is what navigator.language says. Requests may go
// to addresses that begin with one of own. The test is skipped where there is no Chromium.
func Open(t testing.TB, address, lang string, w, h int, own ...string) *Tab {
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
	b := &Tab{T: t, Ctx: ctx}
	if err := chromedp.Listen(ctx, func(ev any) { b.watch(ev, append(own, "data:")) }); err != nil {
		t.Fatal(err)
	}
	Call(b, network.Enable, network.EnableParams{})
	Call(b, log.Enable, cdp.Empty{})
	Call(b, runtime.Enable, cdp.Empty{})
	b.Media("", "light")
	b.Do(chromedp.EmulateViewport(int64(w), int64(h)))
	b.Visit(address)
	return b
}

func (b *Tab) watch(ev any, own []string) {
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		text := ev.ExceptionDetails.Text
		if x := ev.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		b.fault("exception: %s", text)
	case *runtime.EventConsoleAPICalled:
		text := ""
		if len(ev.Args) > 0 {
			text = fmt.Sprintf("%s %s", ev.Args[0].Value, ev.Args[0].Description)
		}
		b.fault("console: %s %s", ev.Type, text)
	case *log.EventEntryAdded:
		b.fault("log: %s %s", ev.Entry.Level, ev.Entry.Text)
	case *network.EventRequestWillBeSent:
		for _, p := range own {
			if strings.HasPrefix(ev.Request.URL, p) {
				return
			}
		}
		b.fault("request: %s", ev.Request.URL)
	}
}

// File is the address of a file.
func File(t testing.TB, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
}

// Visit goes to an address and waits until the page says that it is ready
// (<html data-ready="true">).
func (b *Tab) Visit(address string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(address))
	b.Until("the page is ready", `document.documentElement.dataset.ready === "true"`)
}

// Media chooses the medium, and light or dark.
func (b *Tab) Media(medium, scheme string) {
	b.T.Helper()
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// Call gives the browser a command of its protocol.
func Call[P, R any](b *Tab, cmd cdp.Command[P, R], params P) {
	b.T.Helper()
	if _, err := chromedp.Call(b.Ctx, cmd, params); err != nil {
		b.T.Fatal(err)
	}
}

// Eval runs an expression, which may be a promise, and returns its value.
func Eval[V any](b *Tab, js string) V {
	b.T.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[V](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("%v\n%s", err, js)
	}
	return v
}

func (b *Tab) fault(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

// Do does actions.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	if err := chromedp.Do(b.Ctx, actions...); err != nil {
		b.T.Fatal(err)
	}
}

// Exec runs an expression for what it does.
func (b *Tab) Exec(js string) { b.T.Helper(); Eval[chromedp.Void](b, js) }

// Text is what a person reads in an element.
func (b *Tab) Text(sel string) string {
	b.T.Helper()
	return Eval[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", sel))
}

// Until waits for a condition, at most ten seconds.
func (b *Tab) Until(what, js string) {
	b.T.Helper()
	for range 200 {
		if Eval[bool](b, js) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.T.Fatalf("waited in vain: %s", what)
}

// Click clicks on an element.
func (b *Tab) Click(sel string) { b.T.Helper(); b.Do(chromedp.Click(chromedp.CSS(sel))) }

// Key presses a key as a keyboard does: a printable one types its sign unless the page
// takes the key down for itself, and one with a name ("Enter") does nothing else.
func (b *Tab) Key(k string) {
	b.T.Helper()
	if len(k) > 1 && k[0] < 0x7f {
		Call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: k})
		Call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k})
		return
	}
	if len(k) == 1 && k[0] > ' ' && k[0] < 0x7f {
		Call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k, UnmodifiedText: k})
		Call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k})
		return
	}
	b.Do(chromedp.KeyEvent(k))
}

// Type puts text where the cursor is.
func (b *Tab) Type(text string) {
	b.T.Helper()
	Call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// Shot photographs the window and writes the picture to a folder; "" only looks whether it
// is one.
func (b *Tab) Shot(folder, name string) {
	b.T.Helper()
	time.Sleep(200 * time.Millisecond)
	img, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.T.Fatal(err)
	}
	if p, err := png.Decode(bytes.NewReader(img)); err != nil || p.Bounds().Dx() < 300 {
		b.T.Errorf("screenshot %s: %v", name, err)
	}
	if folder == "" {
		return
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), img, 0o666); err != nil {
		b.T.Fatal(err)
	}
}

// Clean fails the test for every fault until now.
func (b *Tab) Clean() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.T.Error(f)
	}
	b.faults = nil
}
