package chain

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"membench/claims"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
)

// CompileClaimsOptions of CompileClaims.
type CompileClaimsOptions struct {
	Shared
	Inputs   []string       `json:"-"` // folders or files of statements
	Out      string         `json:"-"` // folder, or "-"
	Version  schema.Version `json:"version"`
	Catalogs []string       `json:"catalogs"`
	Memory   int64          `json:"-"` // bytes held before records go to disk, at least 512 KiB; 0: 16 to 64 MiB, by the size of the input
	Workers  int            `json:"-"` // 0: one per core
	MaxLine  int            `json:"-"` // 0: jsonl.MaxLine
	Now      string         `json:"-"` // RFC 3339, for meta.json of version 0.0.1
	// People say who is who in the claims, as Claimify had it; meta.json keeps it, for ToGraph. nil: as the manifests of the inputs have it.
	People *schema.People `json:"people,omitempty"`
}

// CompiledMeta is meta.json. It holds no clock, so that the same input gives the same file.
type CompiledMeta struct {
	SchemaVersion schema.Version `json:"schema_version"`
	Files         int            `json:"files_scanned"`
	Records       int            `json:"records_read"`
	Entities      int            `json:"entities_count"`
	Claims        int            `json:"claims_count"`
	Deprecated    int            `json:"deprecated"`
	Findings      map[string]int `json:"findings"`
	People        *schema.People `json:"people,omitempty"` // nil: unknown

	Outputs []schema.FileDigest `json:"outputs"`
}

// String is one line for people.
func (m CompiledMeta) String() string {
	return fmt.Sprintf("%d records of %d files: %d entities, %d claims (%d deprecated)", m.Records, m.Files, m.Entities, m.Claims, m.Deprecated)
}

// compiledMeta001 is the existing chain's compiled_meta.json.
type compiledMeta001 struct {
	InDir     string            `json:"in_dir"`
	OutDir    string            `json:"out_dir"`
	Files     int               `json:"files_scanned"`
	Records   int               `json:"records_read"`
	Entities  int               `json:"entities_count"`
	Claims    int               `json:"claims_count"`
	Elapsed   schema.Confidence `json:"elapsed_seconds"` // always 0.0: a clock would change the bytes
	UpdatedAt string            `json:"updated_at"`
}

// minClaimsMemory is the least memory before data is written to disk: many tiny runs take minutes to merge and save no memory beyond the process's own need.
const minClaimsMemory = 512 << 10

// CompileClaims merges the claims and entities of all conversations into one per id:
// entities.jsonl, claims.jsonl, meta.json and manifest.json in the folder Out.
func CompileClaims(ctx context.Context, o CompileClaimsOptions) (CompiledMeta, error) {
	var meta CompiledMeta
	f := o.frame("compile-claims", o.Version, o.Out, true)
	f.Stream = true
	defer f.Close()
	in, err := f.Files(ctx, o.Inputs, ".jsonl")
	if err != nil {
		return meta, err
	}
	cat, err := LoadCatalog(o.Catalogs)
	if err != nil {
		return meta, err
	}
	ents, err := f.Create("entities.jsonl")
	if err != nil {
		return meta, err
	}
	cls, err := f.Create("claims.jsonl")
	if err != nil {
		return meta, err
	}
	if o.Memory > 0 {
		o.Memory = max(o.Memory, minClaimsMemory)
	}
	res, err := claims.Bulk(ctx, in, ents, cls, f.Found,
		claims.BulkOptions{Catalog: cat, Version: o.Version, Memory: o.Memory, Workers: o.Workers, MaxLine: o.MaxLine, Dir: o.TempDir, Progress: o.Progress})
	if err != nil {
		return meta, err
	}
	f.Taken = res.Records
	if o.People == nil {
		p, known, err := recordedPeople(o.Inputs)
		if err != nil {
			return meta, err
		}
		if known {
			o.People = &p
		}
	}
	meta = CompiledMeta{f.Schema, res.Files, res.Records, res.Entities, res.Claims, res.Deprecated, f.ByCode, o.People, nil}
	if meta.Findings == nil {
		meta.Findings = map[string]int{}
	}
	if o.Out != "-" {
		for _, out := range []*build.Output{cls, ents} {
			d, err := out.Digest()
			if err != nil {
				return meta, err
			}
			meta.Outputs = append(meta.Outputs, d)
		}
		var v any = meta
		if f.Schema == schema.V001 {
			v = compiledMeta001{filepath.ToSlash(strings.Join(o.Inputs, " ")), filepath.ToSlash(o.Out), res.Files, res.Records, res.Entities, res.Claims, 0, o.Now}
		}
		if err := f.Write("meta.json", func(w io.Writer) error { return codec.WriteFile(w, v) }); err != nil {
			return meta, err
		}
	}
	m := schema.Manifest{Counts: map[string]int{"entities": res.Entities, "claims": res.Claims, "deprecated": res.Deprecated}}
	if m.Options, err = schema.NewObject(o); err != nil {
		return meta, err
	}
	_, err = f.Commit(m)
	return meta, err
}
