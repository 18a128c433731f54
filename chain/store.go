package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"membench/config"
	"membench/internal/build"
	"membench/memory"
	"membench/memory/mem0"
	"membench/memory/open"
	"membench/replay"
	"membench/schema"
)

// StoreOptions name a persistent memory. Missing values come from the store's manifest.
type StoreOptions struct {
	Store     open.Store       // Dir is required
	Place     open.Place       // environment for opening it
	Isolation string           // global or per_conv; "": the store's, or global
	UserID    string           // for events that name none; "": the store's, or user
	AgentID   string           // for events that name neither agent nor character
	Now       string           // the run's clock, RFC 3339; "": the store's, or Clock
	Clock     func() time.Time // nil: no clock but Now
}

// kept are the options stored in the manifest.
type kept struct {
	Isolation   string   `json:"isolation"`
	UserID      string   `json:"user_id"`
	AgentID     string   `json:"agent_id"`
	Mode        string   `json:"mode"`
	StoreRaw    bool     `json:"store_raw"`
	NoPrefix    bool     `json:"no_prefix"`
	SkipRoles   []string `json:"skip_roles"`
	SkipTags    []string `json:"skip_tags"`
	OnlyTags    []string `json:"only_tags"`
	WriteProbes bool     `json:"write_probes"`
	Window      int      `json:"window"`
	Overlap     int      `json:"overlap"`
	Index       []string `json:"index_order"`
	Backend     string   `json:"backend,omitempty"` // "": embedded
	URL         string   `json:"url,omitempty"`
	UserPrefix  string   `json:"user_prefix,omitempty"`
	Qdrant      string   `json:"qdrant,omitempty"` // "": points in process
	Collection  string   `json:"qdrant_collection,omitempty"`
	Fingerprint string   `json:"fingerprint"` // of the memory system
}

// store is a resolved StoreOptions.
type store struct {
	open.Store
	place  open.Place
	replay replay.Options
	old    schema.Manifest // manifest of the run that filled it
	kept   kept
	found  bool // there is such a manifest
}

// manifestOf is the manifest of one isolation in a store's folder.
func manifestOf(dir string, i replay.Isolation) string {
	return filepath.Join(dir, i.Collection(), "manifest.json")
}

// resolve finds the store's manifest and fills in missing options. It fails if mustExist and there is no store.
func (o StoreOptions) resolve(ctx context.Context, mustExist bool) (s store, err error) {
	if o.Store.Dir == "" {
		return s, schema.Usagef("no store given: name its folder with --store")
	}
	for _, a := range [][2]string{{"--url", o.Store.URL}, {"--qdrant", o.Store.Qdrant}} {
		if err := config.CheckAddress(a[0], a[1]); err != nil {
			return s, &schema.UsageError{Err: err}
		}
	}
	iso := replay.Global
	switch {
	case o.Isolation != "":
		if iso, err = replay.ParseIsolation(o.Isolation); err != nil {
			return s, &schema.UsageError{Err: err}
		}
	case !exists(manifestOf(o.Store.Dir, replay.Global)) && exists(manifestOf(o.Store.Dir, replay.PerConv)):
		iso = replay.PerConv
	}
	s.place, s.replay = o.Place, replay.Defaults()
	var was *open.Store
	s.old, err = build.ReadManifest(manifestOf(o.Store.Dir, iso))
	switch k := &s.kept; {
	case err == nil:
		s.found = true
		if err := s.old.Options.Read(k); err != nil {
			return s, fmt.Errorf("reading %s: options: %w", manifestOf(o.Store.Dir, iso), err)
		}
		was = &open.Store{Backend: k.Backend, URL: k.URL, UserPrefix: k.UserPrefix, Qdrant: k.Qdrant, Collection: k.Collection}
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	case mustExist:
		return s, fmt.Errorf("%s holds no %s memory: fill it with 'membench replay ingest'", o.Store.Dir, iso)
	}
	if s.Store, err = o.Place.Resolve(ctx, o.Store, was); err != nil {
		var spec *schema.Finding // of a service's spec
		if !errors.As(err, &spec) {
			err = &schema.UsageError{Err: err}
		}
		return s, err
	}
	s.replay.Isolation, s.replay.Backend = iso, s.Backend
	s.replay.UserID = cmp.Or(o.UserID, s.kept.UserID, s.replay.UserID)
	s.replay.AgentID = cmp.Or(o.AgentID, s.kept.AgentID)
	if s.replay.Now, err = o.now(s.old.Now); err != nil {
		return s, err
	}
	for _, c := range s.kept.Index {
		s.replay.Order = append(s.replay.Order, schema.ConvID(c))
	}
	return s, nil
}

// now returns the run's clock: the option's, or the stored one, or this machine's.
func (o StoreOptions) now(kept string) (time.Time, error) {
	clock := cmp.Or(o.Now, kept)
	if clock == "" {
		if o.Clock == nil {
			return time.Time{}, schema.Usagef("no clock given: want the time of the run")
		}
		return o.Clock().UTC().Truncate(time.Second), nil
	}
	t, err := time.Parse(time.RFC3339Nano, clock)
	if err != nil {
		return t, schema.Usagef("--now %q: want an RFC 3339 time such as 2026-03-01T12:00:00Z", clock)
	}
	return t.UTC(), nil
}

// open makes the system that filled the store. Vectors are not stored: any embedder will
// do.
func (s store) open(ctx context.Context, with mem0.Options) (memory.System, func(), error) {
	with.Mode, with.Raw, with.NoPrefix = mem0.Mode(s.kept.Mode), s.kept.StoreRaw, s.kept.NoPrefix
	return s.place.Store(ctx, s.Store, with)
}
