package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Version of the published formats. Go types are the latest; older versions are projections.
type Version string

const (
	V001   Version = "0.0.1" // seed 004: the existing chain on the schema's day
	V010   Version = "0.1.0"
	V020   Version = "0.2.0" // people: who speaks is the subject, by name and conversation
	Latest         = V020
)

// Versions lists every published version, oldest first.
func Versions() []Version { return []Version{V001, V010, V020} }

// ParseVersion accepts a published version, with or without a leading v.
func ParseVersion(s string) (Version, error) {
	v := Version(strings.TrimPrefix(s, "v"))
	if !slices.Contains(Versions(), v) {
		return "", fmt.Errorf("schema version %q is not published: have %v", s, Versions())
	}
	return v, nil
}

// Before reports whether v is older than w.
func (v Version) Before(w Version) bool {
	return slices.Index(Versions(), v) < slices.Index(Versions(), w)
}

// Versioned records can be written as an older version: At returns a copy without members newer than v.
type Versioned[T any] interface{ At(v Version) T }

// A Kind names one record type.
type Kind string

const (
	KindEvent       Kind = "event"
	KindExport      Kind = "export" // one memory item as a memory system stored it
	KindClaim       Kind = "claim"
	KindEntity      Kind = "entity"
	KindNode        Kind = "node"
	KindEdge        Kind = "edge"
	KindChange      Kind = "change"         // since 0.1.0
	KindEventAnchor Kind = "event-anchor"   // {conv_id, turn_id}
	KindSpanAnchor  Kind = "span-anchor"    // {source_path, start_line, end_line}
	KindProbeAnchor Kind = "probe-anchor"   // {probe_id}
	KindIndex       Kind = "index"          // index.json: an array of chapters
	KindProbe       Kind = "probe-result"   // since 0.1.0
	KindManifest    Kind = "manifest"       // since 0.1.0
	KindCase        Kind = "case"           // since 0.1.0
	KindQA          Kind = "qa-record"      // since 0.1.0
	KindSession     Kind = "session-record" // since 0.1.0
	KindContext     Kind = "context"        // since 0.1.0
	KindSummary     Kind = "summary"        // since 0.1.0
	KindMeta        Kind = "claims-meta"    // meta.json of compile-claims; compiled_meta.json
)

// Kinds lists every kind that has a published schema in v.
func Kinds(v Version) []Kind {
	all := []Kind{KindEvent, KindExport, KindClaim, KindEntity, KindNode, KindEdge, KindEventAnchor, KindSpanAnchor, KindProbeAnchor, KindIndex, KindMeta}
	if !v.Before(V010) {
		all = append(all, KindChange, KindProbe, KindManifest, KindCase, KindQA, KindSession, KindContext, KindSummary)
	}
	return all
}

//go:embed v0.0.1/*.json v0.1.0/*.json v0.2.0/*.json
var published embed.FS

// file is the contract of kind k that holds in version v: a version publishes only the
// kinds that it changes.
func file(k Kind, v Version) string {
	all := Versions()
	for _, w := range slices.Backward(all[:slices.Index(all, v)+1]) {
		name := "v" + string(w) + "/" + string(k) + ".schema.json"
		if _, err := fs.Stat(published, name); err == nil {
			return name
		}
	}
	return "v" + string(v) + "/" + string(k) + ".schema.json"
}

// JSONSchema returns the published contract of kind k in version v.
func JSONSchema(k Kind, v Version) ([]byte, error) { return fs.ReadFile(published, file(k, v)) }

// SchemaURL is the $id of the contract of kind k in version v.
func SchemaURL(k Kind, v Version) string { return "https://membench.dev/schema/" + file(k, v) }
