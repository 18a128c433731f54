// Package doctor checks in seconds what could make a run fail: the project file, endpoints,
// keys, models, the cassette, prices, the clock, the disk, and the stores that the
// environment or the project names. Every fault says how to fix it.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"membench/config"
	"membench/llm/cassette"
	"membench/memory/open"
	"membench/models"
	"membench/schema"
)

// Options are what to check.
type Options struct {
	Config  string         // the project file; "": the one of the working folder, if there is one
	Models  models.Options // what the flags say of models; its Env, Clock and Transport serve every check
	Place   open.Place     // of stores; its Getenv gives their addresses and keys
	Ask     bool           // put one short question to each endpoint, which is paid for
	Timeout time.Duration  // of one check
}

func ok(name, format string, args ...any) schema.Check {
	return schema.Check{Name: name, State: schema.CheckOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(name, fix, format string, args ...any) schema.Check {
	return schema.Check{Name: name, State: schema.CheckWarn, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

func fail(name, fix, format string, args ...any) schema.Check {
	return schema.Check{Name: name, State: schema.CheckFail, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

// Run makes the checks, those of services at the same time. Their order does not depend
// on who answers first.
func Run(ctx context.Context, o Options) []schema.Check {
	var checks []schema.Check
	file := cmp.Or(o.Config, config.Find("."))
	var p *config.Project
	switch {
	case file == "":
		checks = append(checks, ok("project", "no membench.yaml here: flags and environment alone"))
	default:
		var err error
		if p, err = config.Load(file, o.Models.Env); err != nil {
			p = nil
			checks = append(checks, fail("project", "fix the file; docs/project.md shows every key", "%v", err))
		} else {
			checks = append(checks, ok("project", "%s", file))
			checks = append(checks, checkSources(p)...)
		}
	}
	prices, err := config.LoadPrices(o.Models.PriceFile(p))
	if err != nil {
		checks = append(checks, fail("prices", "fix the table; docs/models.md shows one", "%v", err))
	}
	checks = append(checks, checkCassette(p, o.Models), checkDisk(p))

	var jobs []func(context.Context) []schema.Check
	for _, group := range o.endpoints(p) {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return o.checkEndpoint(ctx, group, prices) })
	}
	if uri := o.Place.Getenv("NEO4J_URI"); uri != "" {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return []schema.Check{o.checkNeo4j(ctx, uri)} })
	}
	if o.Place.Getenv("MEM0_URL") != "" || o.Place.Getenv("MEM0_API_KEY") != "" {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return o.checkMem0(ctx) })
	}
	for _, addr := range o.qdrants(p) {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return o.checkQdrant(ctx, addr, p) })
	}
	results := make([][]schema.Check, len(jobs))
	var wg sync.WaitGroup
	for i, job := range jobs {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, o.Timeout)
			defer cancel()
			results[i] = job(ctx)
		})
	}
	wg.Wait()
	return append(checks, slices.Concat(results...)...)
}

func checkSources(p *config.Project) []schema.Check {
	var out []schema.Check
	for _, s := range p.Sources {
		if _, err := os.Stat(p.Path(s)); err != nil {
			out = append(out, fail("sources", "put the file there, or fix sources in membench.yaml", "%v", err))
		}
	}
	return out
}

func checkCassette(p *config.Project, o models.Options) schema.Check {
	const name = "cassette"
	file, mode, err := o.CassetteFile(p)
	if err != nil {
		return fail(name, "fix cassette in membench.yaml, or the flags", "%v", err)
	}
	if mode == cassette.Off {
		return ok(name, "off: every answer is paid for again; --cassette FILE keeps them")
	}
	if _, err := os.Stat(file); err != nil && mode != cassette.Replay {
		return ok(name, "%s, mode %s: does not exist yet", file, mode)
	}
	c, err := cassette.Open(file, cassette.Replay)
	if err != nil {
		return fail(name, "use another file, or cut off the damaged end as the message says", "%v", err)
	}
	defer c.Close()
	return ok(name, "%s, mode %s: %d records", file, mode, c.Stats().Records)
}

// lowDisk is when a run may well not fit: bytes.
const lowDisk = 1 << 30

func checkDisk(p *config.Project) schema.Check {
	const name = "disk"
	dir := "."
	if p != nil {
		dir = p.Path(p.Output)
	}
	for { // the output folder may not be there yet
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".membench-doctor-*")
	if err != nil {
		return fail(name, "choose an output folder that you may write to (output: in membench.yaml, or -o)", "%v", err)
	}
	f.Close()
	os.Remove(f.Name())
	free, err := diskFree(dir)
	switch {
	case err != nil:
		return warn(name, "look yourself", "free space below %s is unknown: %v", dir, err)
	case free < lowDisk:
		return warn(name, "make room, or choose another output folder", "%d MB free below %s", free>>20, dir)
	}
	return ok(name, "%.1f GB free below %s, writable", float64(free)/(1<<30), dir)
}
