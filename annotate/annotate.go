// Package annotate turns dialogue into events: it reads chapters and chat files, chooses one main tag for each turn, and joins conversations into one file.
//
//	chapter folder ── Scan ──▶ index.json
//	chapter, chat  ── Parse ─▶ Source ── Annotate ─▶ Event     <conv>.events.jsonl
//	events by conversation ── Compile ─▶ lines, one file       index order, else textnorm.Natural
//
// Four source formats are parsed by code, never by a model: norm chapters, raw chapters, chat lines (JSON Lines) and message lists (JSON). Their parsers
// describe them. A model may only decide between canon_only, episodic and filler.
//
// Events are keyed by (conv_id, turn_id); turn ids are gap-free from 1 in the order of the dialogue. An event's meta names the file and lines it was read from.
//
// Findings: SRC is about source files, EVT about events. See codes below.
package annotate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"membench/schema"
)

// Codes of the findings that this package makes.
const (
	codeText         = "SRC001" // bytes are not UTF-8; each bad byte is read as U+FFFD
	codeFence        = "SRC002" // the chapter has no ```text fence, or it is not closed (warning)
	codeStray        = "SRC003" // text outside the fence, left out
	codeHeader       = "SRC004" // header unknown, repeated, malformed or too late; ignored
	codeMarker       = "SRC005" // marker unknown or malformed
	codeEmpty        = "SRC006" // an utterance without text, left out
	codeSpeaker      = "SRC007" // the speaker cannot be told: role ui, meta.uncertain (warning)
	codeLabels       = "SRC008" // a raw chapter without any label: taken as the character's monologue (warning)
	codeMarkID       = "SRC009" // probe or inject id used twice, or an expected inject that is not there
	codeMessage      = "SRC010" // a chat line or message is not as the format says; left out
	codeTime         = "SRC011" // a time that cannot be read; left out (warning)
	codeAttachment   = "SRC012" // an attachment that cannot be kept as it is (warning)
	codeFormat       = "SRC013" // the file's format cannot be told, or the file is too large
	codeNoTurns      = "SRC014" // a source without any utterance
	codeMember       = "SRC015" // an unknown member collides with one of ours in meta; left out (warning)
	codeMissingFile  = "SRC020" // the index names a file that does not exist
	codeMissingNorm  = "SRC021" // a chapter without a norm file (warning)
	codeTwoSources   = "SRC022" // two sources for one conversation
	codeFileName     = "SRC023" // a Markdown file whose name is not a chapter name (warning)
	codeNotIndexed   = "SRC024" // events of a conversation that the index does not list (warning)
	codeAllCanon     = "EVT010" // quality gate: all events are canon_only (warning)
	codeFewEpisodic  = "EVT011" // quality gate: episodic and filler are under 30 % (warning)
	codeModelAnswer  = "EVT012" // a model gave no usable tags; the rule decided
	codeCompiledGap  = "EVT013" // turn ids of a conversation have a gap (warning)
	codeCompiledTurn = "EVT014" // a turn id that is not above the one before it; line left out
	codeCompiledConv = "EVT015" // an event in the wrong file, or a conversation in two files; line left out
	codeCompiledNone = "EVT016" // a conversation without events
)

// Options say what a source does not say itself. The zero Options are usable.
type Options struct {
	// Identity. What is set here wins over a chapter's headers; what is set nowhere
	// gets the default named.
	SceneID     string // default "default"
	CharacterID string // default: the first of CharacterNames, else "assistant"
	UserID      string // meta.user_id; default: absent
	AgentID     string // meta.agent_id; default: absent

	// Names as they are in sources. The first of each is the display name.
	CharacterNames []string // default: the character id
	UserNames      []string // default: the user id, else "user"
	// MonologueSuffixes mark a character's label as monologue, e.g. "独白" in "聪音独白：".
	MonologueSuffixes []string

	// Time. A turn's time is the one in the source, else start + (turn-1)*TurnOffset,
	// else absent. The start is that in Conversations, else the source's own @time,
	// else Start. A time in a source without an offset is in the zone of the start that is set here, else in UTC.
	Start      time.Time
	TurnOffset time.Duration // 0: DefaultTurnOffset

	// Conversations overrides all this for single conversations.
	Conversations map[schema.ConvID]Conversation
	// Defaults holds where neither these options nor the source say anything.
	Defaults Conversation

	ConvID     schema.ConvID // for a source that names none; default: from the file's name
	Root       string        // meta.source_path is relative to this folder; "": paths as given
	Format     Format        // "" or Auto: told from name and content
	MergeLines bool          // join adjacent lines of one speaker to one event, with "\n"

	Tagger Tagger // nil: Rule()
	// Report takes warnings that belong to no single record (quality gates, a model's
	// unusable answers). It is called while the events are ranged over. nil: not told.
	Report func(*schema.Finding)
}

// Conversation is what Options say of one conversation; zero fields say nothing.
type Conversation struct {
	SceneID, CharacterID, UserID, AgentID string
	Start                                 time.Time
}

// DefaultTurnOffset is the time between two turns where only the start is known.
const DefaultTurnOffset = time.Minute

func (o Options) report(f *schema.Finding) {
	if o.Report != nil {
		o.Report(f)
	}
}

// Source is one conversation before annotation.
type Source struct {
	ConvID schema.ConvID
	Path   string // meta.source_path
	// What the source says about itself; "" and the zero time where it does not.
	SceneID, CharacterID, SourceType string
	UserID, AgentID                  string
	Start                            time.Time
	Turns                            []Utterance // in the order of the dialogue
}

// Utterance is one turn before annotation.
type Utterance struct {
	Pos         schema.Pos // of its first line, with the name the file was opened by
	First, Last int        // lines of the source, from 1, both included
	Role        string     // schema.RoleHuman …
	Name        string     // display name; "" is the role's default
	Text        string     // never empty
	Mode        string     // dialogue | monologue | ""
	Marker      string     // INJECT | PROBE | ""
	MarkerID    string     // probe or inject id
	Expects     []string   // of a probe: ids of injects or claims; empty: gold unknown
	Gold        string     // of a probe: the right answer
	Time        string     // RFC 3339 or ""
	SessionID   string
	SessionTime string // RFC 3339 or ""
	UIAction    string
	Attachments []schema.Attachment
	Uncertain   bool          // the speaker could not be told
	Extra       schema.Object // members of the source that have no field here; they go into meta

	ReplyTo int // the turn that it answers, from 1; 0: the source does not say

	messageID, answers string // in a chat file

	labelled bool // a raw line with a label of its own: a new turn, never merged upwards
}

// marked utterances have their tag from the marker, interface lines are filler:
// neither is ever put to a tagger's choice.
func (u Utterance) fixedTag() string {
	switch {
	case u.Marker == markInject:
		return schema.TagInject
	case u.Marker == markProbe:
		return schema.TagProbe
	case u.Role == schema.RoleUI:
		return schema.TagFiller
	}
	return ""
}

// windowSize is how many utterances a tagger sees at once.
const windowSize = 40

// Annotate yields one event per utterance, each with exactly one main tag. The only
// error is the context's or one that no retry can repair (a refused key); it ends the stream.
func Annotate(ctx context.Context, src Source, o Options) schema.Seq[schema.Event] {
	return func(yield func(schema.Record[schema.Event], error) bool) {
		tagger := cmp.Or(o.Tagger, Rule())
		base := resolve(src, o)
		var gates gates
		for lo := 0; lo < len(src.Turns); lo += windowSize {
			hi := min(lo+windowSize, len(src.Turns))
			w := Window{Turns: src.Turns[lo:hi], First: lo + 1, names: base.name}
			if lo > 0 {
				w.Before = src.Turns[max(0, lo-3):lo]
			}
			choices, err := tagger.Tag(ctx, w)
			err = cmp.Or(err, ctx.Err())
			if err != nil {
				yield(schema.Record[schema.Event]{Pos: src.Turns[lo].Pos}, fmt.Errorf("annotating %s: %w", src.ConvID, err))
				return
			}
			if choices.Fault != "" {
				o.report(&schema.Finding{Pos: src.Turns[lo].Pos, Code: codeModelAnswer, Failed: string(choices.Outcome),
					Message: fmt.Sprintf("conversation %s, turns %d to %d: %s; the rule decided %d of them", src.ConvID, lo+1, hi, choices.Fault, choices.byRule()),
					Hint:    "the events say by: rule; run annotate again; with a cassette, only these turns are asked about"})
			}
			for i, u := range w.Turns {
				e, err := base.event(u, lo+i+1, choices.Of[i])
				if err != nil {
					yield(schema.Record[schema.Event]{Pos: u.Pos}, err)
					return
				}
				gates.add(e.Tags[0])
				if !yield(schema.Record[schema.Event]{Pos: u.Pos, V: e}, nil) {
					return
				}
			}
		}
		if f := gates.finding(src); f != nil {
			o.report(f)
		}
	}
}

// identity is what all events of a conversation share.
type identity struct {
	src         Source
	scene, char string
	user, agent string
	names       map[string]string // role → display name
	humans      map[string]bool   // lower-case names of all who write as humans
	self        []string          // lower-case names of the declared user
	start       time.Time
	offset      time.Duration
}

func head(ss []string) string {
	if len(ss) > 0 {
		return ss[0]
	}
	return ""
}

func resolve(src Source, o Options) identity {
	c := o.Conversations[src.ConvID]
	id := identity{
		src:    src,
		scene:  cmp.Or(c.SceneID, o.SceneID, src.SceneID, o.Defaults.SceneID, "default"),
		char:   cmp.Or(c.CharacterID, o.CharacterID, src.CharacterID, o.Defaults.CharacterID, head(o.CharacterNames), "assistant"),
		user:   cmp.Or(c.UserID, o.UserID, src.UserID, o.Defaults.UserID),
		agent:  cmp.Or(c.AgentID, o.AgentID, src.AgentID, o.Defaults.AgentID),
		offset: o.TurnOffset,
	}
	for _, t := range []time.Time{c.Start, src.Start, o.Start, o.Defaults.Start} {
		if !t.IsZero() {
			id.start = t
			break
		}
	}
	id.offset = cmp.Or(id.offset, DefaultTurnOffset)
	// The names are those of the character and user that the options name, if they do.
	character, user := head(o.CharacterNames), head(o.UserNames)
	if named := cmp.Or(o.CharacterID, o.Defaults.CharacterID); named != "" && named != id.char {
		character = ""
	}
	if named := cmp.Or(o.UserID, o.Defaults.UserID); named != "" && named != id.user {
		user = ""
	}
	id.names = map[string]string{
		schema.RoleAssistant: cmp.Or(character, id.char),
		schema.RoleHuman:     cmp.Or(user, id.user, "user"),
		schema.RoleUI:        "ui",
		schema.RoleTool:      "tool",
	}
	id.humans = map[string]bool{}
	for _, u := range src.Turns {
		if u.Role == schema.RoleHuman {
			id.humans[strings.ToLower(id.name(u))] = true
		}
	}
	for _, n := range append([]string{id.user, id.names[schema.RoleHuman], "user", "me", "我"}, o.UserNames...) {
		id.self = append(id.self, strings.ToLower(n))
	}
	return id
}

// userOf is the declared user, of a turn that may be theirs: where several people write
// as humans, the user is the one whom the names of the options or the id name.
func (id identity) userOf(u Utterance) string {
	if u.Role != schema.RoleHuman || len(id.humans) < 2 || slices.Contains(id.self, strings.ToLower(id.name(u))) {
		return id.user
	}
	return ""
}

func (id identity) name(u Utterance) string { return cmp.Or(u.Name, id.names[u.Role]) }

func (id identity) event(u Utterance, turn int, c Choice) (schema.Event, error) {
	m := schema.EventMeta{
		SpeechMode: u.Mode, SourceType: id.src.SourceType,
		SourcePath: id.src.Path, StartLine: u.First, EndLine: u.Last,
		Time: u.Time, SessionID: u.SessionID, SessionTime: u.SessionTime,
		UserID: id.userOf(u), AgentID: id.agent, By: c.By,
		Marker: u.Marker, UIAction: u.UIAction, Expects: u.Expects, Gold: u.Gold,
		Attachments: u.Attachments, Uncertain: u.Uncertain, ReplyTo: u.ReplyTo,
	}
	if m.Time == "" && !id.start.IsZero() {
		m.Time = id.start.Add(time.Duration(turn-1) * id.offset).Format(time.RFC3339)
	}
	switch u.Marker {
	case markProbe:
		m.ProbeID = u.MarkerID
	case markInject:
		m.InjectID = u.MarkerID
	}
	meta, err := schema.NewObject(m)
	if err != nil {
		return schema.Event{}, err
	}
	if u.Extra.Len() > 0 {
		var b schema.ObjectBuilder
		for _, o := range []schema.Object{meta, u.Extra} {
			for k, raw := range o.Members() {
				b.Raw(k, raw)
			}
		}
		meta = b.Object()
	}
	return schema.Event{
		SceneID: id.scene, CharacterID: id.char, ConvID: id.src.ConvID, TurnID: turn,
		RoleType: u.Role, RoleName: id.name(u), Content: u.Text, Tags: []string{c.Tag}, Meta: meta,
	}, nil
}

// gates are the quality gates of a conversation's tags.
type gates struct{ canon, low int }

func (g *gates) add(tag string) {
	switch tag {
	case schema.TagCanon:
		g.canon++
	case schema.TagEpisodic, schema.TagFiller:
		g.low++
	}
}

// finding looks at the events whose tag was a choice: a conversation of injects and
// probes only has nothing to be judged by.
func (g *gates) finding(src Source) *schema.Finding {
	chosen := g.canon + g.low
	f := &schema.Finding{Pos: schema.Pos{File: src.Turns0().File}, Warning: true}
	switch {
	case chosen == 0:
		return nil
	case g.canon == chosen:
		f.Code, f.Message = codeAllCanon, fmt.Sprintf("conversation %s: every event is canon_only", src.ConvID)
		f.Have, f.Want = fmt.Sprintf("%d of %d", g.canon, chosen), "moods, plans and single happenings as episodic"
	case g.low*10 < chosen*3:
		f.Code, f.Message = codeFewEpisodic, fmt.Sprintf("conversation %s: too few events are episodic or filler", src.ConvID)
		f.Have, f.Want = fmt.Sprintf("%d of %d", g.low, chosen), "at least 30 %"
	default:
		return nil
	}
	f.Hint = "check whether momentary lines were tagged as lasting facts"
	return f
}

// Turns0 is the position of the first utterance, or none.
func (s Source) Turns0() schema.Pos {
	if len(s.Turns) == 0 {
		return schema.Pos{}
	}
	return s.Turns[0].Pos
}
