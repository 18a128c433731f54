package service_test

import (
	"context"
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
// one text that names no turns: TestContext has it.
func TestContract(t *testing.T) {
	for _, system := range service.Names() {
		if system == "memobase" {
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
