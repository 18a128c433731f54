package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"membench/memory"
	"membench/memory/memorytest"
	"membench/memory/service"
	"membench/memory/service/servicetest"
)

// env answers every key with the stubs' own.
func env(string) (string, bool) { return servicetest.Key, true }

func nosleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// open makes the shipped spec's system over a stub.
func open(t testing.TB, system string, stub *servicetest.Server, o service.Options) *service.System {
	t.Helper()
	spec, err := service.Load(system)
	if err != nil {
		t.Fatal(err)
	}
	return openSpec(t, spec, stub, o)
}

func openSpec(t testing.TB, spec *service.Spec, stub *servicetest.Server, o service.Options) *service.System {
	t.Helper()
	o.Env, o.BaseURL = env, stub.Base()
	if o.Sleep == nil {
		o.Sleep = nosleep
	}
	spec.Limit.PerMinute = 0 // the pace is by the clock
	o.Variables = map[string]string{}
	for name := range spec.Variables {
		if name == "model" || name == "embedding" {
			o.Variables[name] = "provider/model"
		}
	}
	s, err := service.New(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func start(t testing.TB, system string) *servicetest.Server {
	stub := servicetest.New(system)
	t.Cleanup(stub.Close)
	return stub
}

// TestContract runs the test of the memory contract over every shipped spec, with a
// stub that speaks the service's wire format and settles late. Memobase answers with
// one text that names no turns: TestContext has it; Cognee and MemU name none either:
// TestNoTurns.
func TestContract(t *testing.T) {
	for _, system := range service.Names() {
		if system == "memobase" || system == "cognee" || system == "memu-server" {
			continue
		}
		t.Run(system, func(t *testing.T) {
			memorytest.Run(t, func(t *testing.T) memory.System {
				stub := start(t, system)
				stub.Late = 3
				return open(t, system, stub, service.Options{ReadBack: true})
			})
		})
	}
}

// life performs the life of one memory by a shipped spec and returns what was sent:
// open, three turns, a question, a listing, drop; with pinged also a ping.
func life(t *testing.T, system string, pinged bool) []servicetest.Request {
	t.Helper()
	stub := start(t, system)
	stub.Late = 1
	sys := open(t, system, stub, service.Options{})
	if pinged {
		if err := sys.Ping(ctx); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Fatal(err)
		}
	}
	m, err := sys.Open(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	b := memorytest.Batch("c1", memorytest.Turn("c1", 1, "user", `I said "yes" \ ${ns} 你好.`), memorytest.Turn("c1", 2, "tool", "done"), memorytest.Turn("c1", 3, "assistant", "Fine."))
	b.Session = "s 1"
	for i := range b.Turns[:2] {
		b.Turns[i].Time = "2023-05-08T13:56:00+08:00"
	}
	b.Turns[0].Name, b.Turns[2].Name = "Ann", ""
	if _, err := m.Ingest(ctx, b); err != nil {
		t.Fatal(err)
	}
	q := memory.Query{Text: `did Ann say "yes"?`, K: 7}
	if a, ok := memory.As[memory.Answerer](m); ok {
		_, _, err = a.Answer(ctx, q)
	} else {
		_, err = m.Retrieve(ctx, q)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := memory.As[memory.Exporter](m); ok {
		if _, err := exported(m); err != nil {
			t.Fatal(err)
		}
	}
	if d, ok := memory.As[memory.Dropper](m); ok {
		if err := d.Drop(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return stub.Log()
}

// TestRequests holds what each spec sends, byte for byte: testdata/requests. A change of
// it changes what a system is; UPDATE_REQUESTS=1 writes the files again.
func TestRequests(t *testing.T) {
	for _, system := range service.Names() {
		var have bytes.Buffer
		for _, r := range life(t, system, false) {
			fmt.Fprintf(&have, "%s %s\n", r.Method, r.Path)
			if r.Body != "" {
				fmt.Fprintf(&have, "  %s\n", strings.ReplaceAll(r.Body, "\r\n", "\n  "))
			}
		}
		path := "testdata/requests/" + system + ".txt"
		if os.Getenv("UPDATE_REQUESTS") != "" {
			if err := os.MkdirAll("testdata/requests", 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, have.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(have.Bytes(), want) {
			t.Errorf("%s (%v):\n%s\nwant\n%s", system, err, &have, want)
		}
	}
}
