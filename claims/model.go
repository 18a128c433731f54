package claims

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"membench/internal/codec"
	"membench/llm"
	"membench/schema"
	"membench/schema/catalog"
)

// Limits of the talk about one chunk.
const (
	maxRepairs   = 2 // rounds in which bad lines are asked for again
	maxContinues = 4 // rounds in which the rest of a truncated answer is asked for
	maxLonger    = 2 // rounds with a higher limit, after an answer that was cut off before its first line
	maxKept      = 400
)

// Model is the extractor that asks a model. Bad lines are requested again with the list of errors; those that stay bad are rejected one by one, and the good
// ones are kept. The complete lines of a truncated answer are kept and the rest is requested; an answer cut off before its first line is requested with a
// higher limit. A chunk whose answer stays cut off or empty fails: a model reports that there are no statements by {"record_type":"none"}.
func Model(g llm.Generator, p llm.Prompts, c *catalog.Catalog, v schema.Version, tags *Tags) Extractor {
	m := &model{g: g, cat: c, v: v, tags: tags}
	m.system = systemPrompt(Prompt(p).Text, p.Lang() == "zh", c, v)
	sum := sha256.Sum256([]byte(m.system))
	m.print = "model/" + g.Model() + "/" + string(v) + "/" + hex.EncodeToString(sum[:8])
	return m
}

type model struct {
	g      llm.Generator
	cat    *catalog.Catalog
	v      schema.Version
	tags   *Tags
	system string
	print  string
}

func (m *model) Fingerprint() string { return m.print }

func (m *model) Extract(ctx context.Context, c Chunk) (Answer, error) {
	return llm.Again(ctx, func(ctx context.Context) (Answer, error) { return m.extract(ctx, c) })
}

func (m *model) extract(ctx context.Context, c Chunk) (Answer, error) {
	p := &answerParser{cat: m.cat, v: m.v, mint: schema.Mint{V: m.v}, chunk: c, tags: m.tags, by: schema.By(m.g.Model())}
	t := talk{prompt: m.prompt(c), keep: p}
	t.ask.Purpose, t.ask.System, t.ask.Prompt = llm.PurposeClaims, m.system, t.prompt
	for {
		resp, err := m.g.Generate(ctx, t.ask)
		t.out.Usage = t.out.Usage.Add(resp.Usage)
		if err == nil && strings.TrimSpace(resp.Text) == "" && !resp.Truncated {
			err = &llm.Error{Purpose: llm.PurposeClaims, Kind: llm.KindEmpty, Err: errors.New("the answer is empty")}
		}
		if err != nil {
			return t.end(err)
		}
		if more, err := t.take(resp, p.parse(resp.Text, resp.Truncated)); !more {
			return t.end(err)
		}
	}
}

// talk is the exchange with a model about one chunk.
type talk struct {
	prompt                   string
	ask                      llm.Request // the next question
	out                      Answer
	faults                   []Reject // of the lines that stay bad
	repairs, continues, more int      // rounds so far
	keep                     *answerParser
}

// take keeps the good lines of an answer and reports whether to ask again: for the rest of a truncated answer, with a higher limit if it had no complete line,
// and for bad lines. It fails if memories got no answer.
func (t *talk) take(resp llm.Response, got parsed) (again bool, err error) {
	t.out.Statements = append(t.out.Statements, got.statements...)
	t.out.Dropped += got.dropped
	if got.lines == 0 && got.prose > 0 && !resp.Truncated {
		got.faults = append(got.faults, Reject{Reason: "the answer has no JSON line", Raw: clip(resp.Text)})
	}
	if resp.Truncated {
		t.faults = append(t.faults, got.faults...)
		switch {
		case got.lines > 0 && t.continues < maxContinues:
			t.continues++
			t.ask.Prompt = t.prompt + "\n\nYour answer was cut off. These lines have arrived whole; write only the lines that are still missing:\n" + kept(t.out.Statements)
		case t.more < maxLonger:
			t.more++
			t.ask.MaxTokens = llm.Longer(t.ask, resp)
		default:
			return false, &llm.Error{Purpose: llm.PurposeClaims, Kind: llm.KindCutOff, Err: fmt.Errorf("the answer was cut off, also with a limit of %d tokens and after %d continuations: raise max_tokens, or ask about fewer memories at once", t.ask.MaxTokens, t.continues)}
		}
		return true, nil
	}
	if t.continues > 0 {
		got.faults = append(t.faults, got.faults...)
	}
	t.faults = got.faults
	if len(t.faults) == 0 || t.repairs == maxRepairs {
		return false, nil
	}
	t.repairs++
	t.ask.Prompt = t.prompt + "\n\nThe good lines of your answer are kept. Write only these lines again, mended; leave out those that cannot be, and answer {\"record_type\":\"none\"} when none can:\n" + faultList(t.faults)
	return true, nil
}

// end returns the answer. Statements from before a failure are kept; the failure is returned with them.
func (t *talk) end(err error) (Answer, error) {
	t.out.Rejected = append(t.out.Rejected, t.faults...)
	t.out.Statements = t.keep.complete(t.out.Statements)
	if err == nil && len(t.out.Statements) == 0 && len(t.faults) > 0 && t.out.Dropped == 0 {
		err = &llm.Error{Purpose: llm.PurposeClaims, Kind: llm.KindUnusable, Err: errors.New("no line of the answer could be used: " + t.faults[0].Reason)}
	}
	return t.out, err
}

func clip(s string) string {
	if len(s) > 2000 {
		s = strings.ToValidUTF8(s[:2000], "") + "…"
	}
	return s
}

func faultList(fs []Reject) string {
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintf(&b, "line %d: %s\n  %s\n", f.Line, f.Reason, clip(f.Raw))
	}
	return b.String()
}

// kept lists ids instead of lines: shorter, and sufficient to find what is missing.
func kept(ss []schema.Statement) string {
	var b strings.Builder
	for i, s := range ss {
		if i == maxKept {
			break
		}
		if s.Claim != nil {
			fmt.Fprintln(&b, s.Claim.ID)
		}
	}
	return b.String()
}

// prompt lists the memories of a chunk, one JSON object a line.
func (m *model) prompt(c Chunk) string {
	var b strings.Builder
	if len(c.Tags) > 0 {
		b.WriteString("Tags in use; take one of these where its meaning fits, and make no near copies:\n")
		for _, t := range c.Tags {
			b.WriteString("- " + t + "\n")
		}
		b.WriteByte('\n')
	}
	b.WriteString("Memories:\n")
	for _, mem := range c.Memories {
		var o schema.ObjectBuilder
		o.String("memory_item_id", string(mem.ID))
		o.String("point_id", mem.Point.Text())
		o.String("speaker", string(mem.Speaker.ID))
		o.String("created_at", mem.Fields.CreatedAt)
		o.String("text", mem.Fields.Data)
		raw, _ := o.Object().MarshalJSON()
		b.Write(codec.AppendLayout(nil, raw, codec.Spaced))
		b.WriteByte('\n')
	}
	return b.String()
}

//go:embed prompts
var prompts embed.FS

// Prompt is the extractor's prompt before the vocabulary is put in, for manifests.
func Prompt(p llm.Prompts) llm.Prompt { return p.Of(prompts, "claims") }

// systemPrompt puts the catalogue into a prompt, so that a project's own terms are asked
// for too: at {{entities}} and {{predicates}}, at the end where a prompt lacks them.
func systemPrompt(text string, zh bool, c *catalog.Catalog, v schema.Version) string {
	put := func(mark, list string) {
		if !strings.Contains(text, mark) {
			text += "\n\n" + mark
		}
		text = strings.ReplaceAll(text, mark, strings.TrimRight(list, "\n"))
	}
	put("{{entities}}", entityList(c, v))
	put("{{predicates}}", predicateList(zh, c, v))
	return text
}

func entityList(c *catalog.Catalog, v schema.Version) string {
	var b strings.Builder
	for _, name := range catalog.Sorted(c.Entities) {
		e := c.Entities[name]
		if v.Before(sinceOf(e.Since)) {
			continue
		}
		id := e.Prefix + ":<" + e.Key + ">"
		if len(e.Parts) > 0 {
			id = e.Prefix + ":<" + strings.Join(e.Parts, ">"+e.Separator+"<") + ">"
		}
		fmt.Fprintf(&b, "- %s  %s  %s\n", name, id, e.Doc)
	}
	return b.String()
}

func predicateList(zh bool, c *catalog.Catalog, v schema.Version) string {
	var b strings.Builder
	for _, name := range catalog.Sorted(c.Predicates) {
		p := c.Predicates[name]
		if v.Before(sinceOf(p.Since)) {
			continue
		}
		full := name
		if p.Negative != "" && v != schema.V001 {
			full += "|" + p.Negative
		}
		subjects := docOf(zh, "speaker", "说话人")
		if len(p.Subjects) > 0 {
			subjects = strings.Join(p.Subjects, "/")
		}
		fmt.Fprintf(&b, "- %s  %s  %s  %s  %s\n", full, p.Domain, subjects, strings.Join(p.Objects, "/"), docOf(zh, p.Doc, p.DocZH))
	}
	return b.String()
}

func docOf(zh bool, en, other string) string {
	if zh && other != "" {
		return other
	}
	return en
}
