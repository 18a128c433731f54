package chain

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/replay"
	"membench/schema"
	"membench/schema/jsonl"
)

// origins compares what steps copy from record to record: the evidence of claims with the memories that it names (LNK008), and memories with the turns that they
// name (LNK009). Records are sorted by conversation, on disk where there are many, and those of one conversation are held.
type origins struct {
	ctx    context.Context
	files  []string
	sorter *extsort.Sorter
	report func(*schema.Finding)
	heard  replay.Witness

	conv     schema.ConvID // the records so far are of
	events   []schema.Event
	memories []schema.Record[schema.MemoryExport]
	points   map[schema.PointID][]schema.PayloadFields
}

// An origin is one record of a conversation.
type origin struct {
	Event    *schema.Event        `json:"event,omitzero"`
	Memory   *schema.MemoryExport `json:"memory,omitzero"`
	Evidence *schema.Evidence     `json:"evidence,omitzero"`
	N        int                  `json:"n,omitzero"` // of the evidence in its claim
}

func sameOrigins(ctx context.Context, of made, o RederiveOptions) error {
	claims := of.byConv
	if len(claims) == 0 {
		claims = of.claims
	}
	if len(of.exports) == 0 || len(of.events)+len(claims) == 0 {
		return nil
	}
	s := &origins{ctx: ctx, files: slices.Concat(of.exports, claims), report: o.Report, points: map[schema.PointID][]schema.PayloadFields{}, sorter: extsort.New(extsort.Options{Memory: 32 << 20, Dir: o.TempDir})}
	defer s.sorter.Close()
	if err := fillOrigins(s, of.events, func(at schema.Pos, e schema.Event) error { return s.add(e.ConvID, 'e', at, origin{Event: &e}) }); err != nil {
		return err
	}
	if err := fillOrigins(s, of.exports, func(at schema.Pos, m schema.MemoryExport) error {
		return s.add(schema.ConvID(m.Payload.Text("conv_id")), 'm', at, origin{Memory: &m})
	}); err != nil {
		return err
	}
	if err := fillOrigins(s, claims, s.claim); err != nil {
		return err
	}
	for rec, err := range s.sorter.Sorted() {
		if err == nil {
			err = s.take(rec)
		}
		if err != nil {
			return err
		}
	}
	if err := s.heard.Hear(s.conv, s.events, s.memories, s.report); err != nil {
		return err
	}
	s.heard.End(s.report)
	return nil
}

// fillOrigins passes over lines that validate has reported.
func fillOrigins[T any](s *origins, files []string, add func(schema.Pos, T) error) error {
	for rec, err := range schema.Drop(jsonl.Files[T](files, nil), func(*schema.Finding) {}) {
		if err == nil {
			err = s.ctx.Err()
		}
		if err == nil {
			err = add(rec.Pos, rec.V)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claim adds the evidence of a claim, the newest of which is the time of the claim.
func (s *origins) claim(at schema.Pos, x schema.Statement) error {
	if x.Claim == nil {
		return nil
	}
	newest := schema.Instant(0)
	for i, e := range x.Claim.Evidence {
		t, _ := schema.ParseInstant(e.CreatedAt)
		newest = max(newest, t)
		if err := s.add(e.ConvID, 'o', at, origin{Evidence: &e, N: i}); err != nil { // behind the memories
			return err
		}
	}
	if t, ok := schema.ParseInstant(x.Claim.UpdatedAt); ok && newest > 0 && t != newest {
		s.report(&schema.Finding{Pos: at, Pointer: "/updated_at", Code: "LNK008", Message: "the newest evidence has another time", Have: x.Claim.UpdatedAt, Want: newest.String()})
	}
	return nil
}

// add sorts a record behind those of its conversation that are of earlier kinds.
func (s *origins) add(conv schema.ConvID, kind byte, at schema.Pos, x origin) error {
	rec := append(binary.BigEndian.AppendUint32(nil, uint32(len(conv))), conv...)
	rec = binary.BigEndian.AppendUint32(append(rec, kind), uint32(max(0, slices.Index(s.files, at.File))))
	text, err := codec.Append(binary.BigEndian.AppendUint32(rec, uint32(at.Line)), x, codec.Compact)
	if err != nil {
		return err
	}
	return s.sorter.Add(text)
}

func (s *origins) take(rec []byte) error {
	n := int(binary.BigEndian.Uint32(rec))
	conv, rec := schema.ConvID(rec[4:4+n]), rec[4+n+1:]
	if conv != s.conv {
		if err := s.heard.Hear(s.conv, s.events, s.memories, s.report); err != nil {
			return err
		}
		s.conv, s.events, s.memories, s.points = conv, nil, nil, map[schema.PointID][]schema.PayloadFields{}
	}
	var x origin
	if err := codec.Unmarshal(rec[8:], &x); err != nil {
		return err
	}
	at := schema.Pos{File: s.files[binary.BigEndian.Uint32(rec)], Line: int(binary.BigEndian.Uint32(rec[4:]))}
	switch {
	case x.Event != nil:
		s.events = append(s.events, *x.Event)
	case x.Memory != nil:
		s.memories = append(s.memories, schema.Record[schema.MemoryExport]{Pos: at, V: *x.Memory})
		if f, err := x.Memory.Fields(); err == nil {
			s.points[x.Memory.ID] = append(s.points[x.Memory.ID], f)
		}
	default:
		s.evidence(at, x)
	}
	return nil
}

// evidence compares one piece of evidence with the memories of its point: one point may be in several exports.
func (s *origins) evidence(at schema.Pos, x origin) {
	f := schema.Finding{Pos: at, Pointer: fmt.Sprintf("/evidence/%d", x.N), Code: "LNK008"}
	of := s.points[x.Evidence.Point]
	switch {
	case len(of) == 0 && x.Evidence.Point != "":
		f.Pointer, f.Message, f.Have = f.Pointer+"/conv_id", "the memory is not of this conversation", string(x.Evidence.ConvID)
	case len(of) > 0 && !slices.ContainsFunc(of, func(p schema.PayloadFields) bool { return sameTime(p.CreatedAt, x.Evidence.CreatedAt) }):
		f.Pointer, f.Message, f.Have, f.Want = f.Pointer+"/created_at", "the memory has another time", x.Evidence.CreatedAt, of[0].CreatedAt
	case len(of) > 0 && !slices.ContainsFunc(of, func(p schema.PayloadFields) bool { return p.SceneID == x.Evidence.SceneID }):
		f.Pointer, f.Message, f.Have, f.Want = f.Pointer+"/scene_id", "the memory has another scene", x.Evidence.SceneID, of[0].SceneID
	default:
		return
	}
	s.report(&f)
}

// sameTime compares two times by instant.
func sameTime(a, b string) bool {
	t, ok1 := schema.ParseInstant(a)
	u, ok2 := schema.ParseInstant(b)
	return a == b || ok1 && ok2 && t == u
}
