package replay

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/memory"
	"membench/schema"
)

// A Witness compares memories with the turns that they name. Memory systems differ in what they keep of a turn: some have the time of storing, or no speaker, or
// words of their own. So a time or a speaker is compared where other memories have those of their turns, and words where another turn has exactly them.
type Witness struct {
	aspects [2]aspect // time, speaker
}

type aspect struct {
	agree  int
	doubts []*schema.Finding
}

// maxDoubts is how many memories a Witness holds that have another time than all of their turns: of a system that keeps its own, all have.
const maxDoubts = 1000

// Hear compares the memories of one conversation with its turns, and reports words that only a turn that is not named has. Turns that a step inferred are not
// compared. It fails where events cannot be read.
func (w *Witness) Hear(conv schema.ConvID, events []schema.Event, memories []schema.Record[schema.MemoryExport], found func(*schema.Finding)) error {
	all, err := read(schema.List(events...), Defaults())
	if err != nil {
		return err
	}
	at := map[schema.EventRef]int{}
	for i, s := range all {
		at[s.ev.Ref()] = i
	}
	var link *Linker
	for _, m := range memories {
		f, err := m.V.Fields()
		if err != nil || f.EventsBy != "" {
			continue
		}
		var named []said
		for _, ref := range f.Events {
			if i, ok := at[ref]; ok {
				named = append(named, all[i])
			}
		}
		if len(named) == 0 || len(named) < len(f.Events) {
			continue
		}
		fault := schema.Finding{Pos: m.Pos, Pointer: "/payload/events", Code: "LNK009"}
		w.times(f, named, fault)
		w.speakers(f, named, fault)
		_, text := memory.CutPrefix(f.Data)
		key := textnorm.Key(text)
		if utf8.RuneCountInString(key) < 4 || slices.ContainsFunc(named, func(s said) bool {
			return strings.Contains(textnorm.Key(schema.Captioned(s.ev.Content, s.meta.Attachments)), key)
		}) {
			continue
		}
		if link == nil {
			link = newLinker(all)
		}
		turns, conf := link.Link(conv, f.Data)
		if own, _ := newLinker(named).Link(conv, f.Data); conf < 1 || len(own) > 0 || slices.Contains(f.Events, turns[0]) {
			continue
		}
		fault.Message, fault.Have, fault.Want = "the memory has the words of another turn than it names", names(f.Events), names(turns)
		found(&fault)
	}
	return nil
}

// End reports the times and speakers that none of the named turns has.
func (w *Witness) End(found func(*schema.Finding)) {
	for _, a := range w.aspects {
		for _, f := range a.doubts {
			if a.agree > 0 {
				found(f)
			}
		}
	}
}

func (a *aspect) take(agrees bool, doubt func() *schema.Finding) {
	switch {
	case agrees:
		a.agree++
	case len(a.doubts) < maxDoubts:
		a.doubts = append(a.doubts, doubt())
	}
}

func (w *Witness) times(f schema.PayloadFields, named []said, fault schema.Finding) {
	var want []string
	agrees := false
	created, known := schema.ParseInstant(f.CreatedAt)
	updated, _ := schema.ParseInstant(f.UpdatedAt)
	for _, s := range named {
		if t, ok := schema.ParseInstant(s.time); ok {
			want = append(want, s.time)
			agrees = agrees || t == created || t == updated
		}
	}
	if known && len(want) > 0 {
		w.aspects[0].take(agrees, func() *schema.Finding {
			fault.Pointer, fault.Message, fault.Have, fault.Want = "/payload/created_at", "none of the turns that the memory names was said then", f.CreatedAt, strings.Join(slices.Compact(want), " or ")
			return &fault
		})
	}
}

func (w *Witness) speakers(f schema.PayloadFields, named []said, fault schema.Finding) {
	var want []string
	for _, s := range named {
		want = append(want, s.ev.RoleName)
	}
	if f.ActorID != "" {
		w.aspects[1].take(slices.Contains(want, f.ActorID), func() *schema.Finding {
			slices.Sort(want)
			fault.Pointer, fault.Message, fault.Have, fault.Want = "/payload/actor_id", "another person said the turns that the memory names", f.ActorID, strings.Join(slices.Compact(want), " or ")
			return &fault
		})
	}
}

// names lists turns for a message.
func names(turns []schema.EventRef) string {
	var out []string
	for _, t := range turns {
		out = append(out, fmt.Sprintf("%s turn %d", t.ConvID, t.TurnID))
	}
	return strings.Join(out, ", ")
}
