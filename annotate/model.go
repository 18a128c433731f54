package annotate

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/pattern"
	"membench/llm"
	"membench/schema"
)

//go:embed prompts
var prompts embed.FS

// Prompt is the tagger's prompt.
func Prompt(p llm.Prompts) llm.Prompt { return p.Of(prompts, "tag") }

// Model asks a model only for the tag of each turn; text, speakers, order and marks come from the source. Its answer must give every requested line once, with
// one of the three tags. Fences, prose around the answer and tags for other lines are repaired. Other errors are returned to the model once, and lines that
// still have no tag get the rule's, as do all lines of a window whose call failed. Only an error that every call would meet (llm.Fatal) ends the run.
func Model(g llm.Generator, p llm.Prompts) Tagger { return modelTagger{g, Prompt(p)} }

type modelTagger struct {
	g      llm.Generator
	system llm.Prompt
}

func (m modelTagger) Fingerprint() string {
	return "model/1 " + m.g.Model() + " " + m.system.SHA256() + " " + ruleVersion
}

func (m modelTagger) Tag(ctx context.Context, w Window) (Choices, error) {
	out, err := llm.Again(ctx, func(ctx context.Context) (Choices, error) { return m.tag(ctx, w) })
	if out.Of != nil { // the rule chose the tags that the model did not
		err = nil
	}
	return out, err
}

// tag is Tag that also returns the model's error, together with the tags.
func (m modelTagger) tag(ctx context.Context, w Window) (Choices, error) {
	out := make([]Choice, len(w.Turns))
	var asked []int // turn ids
	for i, u := range w.Turns {
		out[i] = ruleChoice(u)
		if u.fixedTag() == "" {
			asked = append(asked, w.First+i)
		}
	}
	if len(asked) == 0 {
		return Choices{Of: out}, nil
	}
	prompt := m.prompt(w)
	tags := map[int]string{}
	var faults []string
	var failed error
	limit := 64 + 16*len(asked)
	for try := range 2 {
		req := llm.Request{Purpose: llm.PurposeTag, System: m.system.Text, Prompt: prompt, JSON: true, MaxTokens: limit}
		if try > 0 {
			req.Prompt += "\nYour last answer could not be used: " + strings.Join(faults, "; ") + ". Answer again for all lines.\n"
		}
		resp, err := m.g.Generate(ctx, req)
		if err != nil {
			if ctx.Err() != nil {
				return Choices{}, ctx.Err()
			}
			if llm.Fatal(err) {
				return Choices{}, err
			}
			if llm.KindOf(err) == llm.KindDryRun { // no call was made: nothing is lost
				faults, failed = nil, nil
				break
			}
			// The client has retried already; another round would only wait longer.
			faults, failed = []string{err.Error()}, err
			break
		}
		var got map[int]string
		got, faults = readTags(resp.Text, asked)
		kind := llm.KindUnusable
		if resp.Truncated {
			faults = append(faults, "the answer was cut off")
			kind, limit = llm.KindCutOff, llm.Longer(req, resp)
		}
		failed = &llm.Error{Purpose: llm.PurposeTag, Kind: kind, Err: errors.New(strings.Join(faults, "; "))}
		for id, tag := range got {
			tags[id] = tag // the later answer knows the faults of the earlier one
		}
		if len(tags) == len(asked) {
			faults, failed = nil, nil
			break
		}
	}
	for id, tag := range tags {
		out[id-w.First] = Choice{tag, schema.By(m.g.Model())}
	}
	got := Choices{Of: out, Fault: strings.Join(faults, "; ")}
	if failed != nil {
		got.Outcome = llm.OutcomeOf(llm.Response{}, failed)
	}
	return got, failed
}

// prompt shows the window. Lines whose tag is fixed are shown without a number.
func (m modelTagger) prompt(w Window) string {
	var b strings.Builder
	line := func(id string, u Utterance) {
		text := strings.Join(strings.Fields(u.Text), " ")
		fmt.Fprintf(&b, "%s%s: %s\n", id, w.Name(u), text)
	}
	if len(w.Before) > 0 {
		b.WriteString("Before:\n")
		for _, u := range w.Before {
			line("", u)
		}
	}
	b.WriteString("Lines:\n")
	for i, u := range w.Turns {
		if u.fixedTag() != "" {
			line("", u)
			continue
		}
		line("["+strconv.Itoa(w.First+i)+"] ", u)
	}
	return b.String()
}

var (
	tagLine = pattern.New(`(?m)^\s*[-*]?\s*["\[(]?(\d{1,9})["\])]?\s*[:.,=\-]+>?\s*"?(canon_only|episodic|filler)\b`)
	choices = []string{schema.TagCanon, schema.TagEpisodic, schema.TagFiller}
)

// readTags extracts the tags from an answer and returns its faults: an object of number to tag, objects with id and tag, or lines "7: filler", anywhere in the
// text. An id with two different tags counts as missing.
func readTags(answer string, asked []int) (map[int]string, []string) {
	got := map[int]string{}
	clash := map[int]bool{}
	var faults []string
	wanted := func(id int) bool { _, ok := slices.BinarySearch(asked, id); return ok }
	extra, bad := 0, 0
	put := func(id int, tag string) {
		switch old, have := got[id]; {
		case !wanted(id):
			extra++
		case !slices.Contains(choices, tag):
			bad++
			faults = append(faults, fmt.Sprintf("line %d has the unknown tag %s", id, quote(tag)))
		case have && old != tag:
			clash[id] = true
			faults = append(faults, fmt.Sprintf("line %d has two tags", id))
		default:
			got[id] = tag
		}
	}
	found := false
	for _, obj := range objects([]byte(answer)) {
		if raw, ok := obj.Get("tags"); ok && len(raw) > 0 && raw[0] == '{' {
			obj = schema.RawObject(raw)
		}
		id, idErr := strconv.Atoi(strings.Trim(member(obj, "id", "line", "turn_id"), `" `))
		if idErr == nil {
			found = true
			put(id, member(obj, "tag"))
			continue
		}
		for k, v := range obj.Members() {
			if id, err := strconv.Atoi(strings.Trim(k, "[] ")); err == nil {
				found = true
				put(id, strings.TrimSpace(codec.Unquote(v)))
			}
		}
	}
	if !found { // lines, or an object that was cut off
		for _, f := range tagLine.FindAllStringSubmatch(strings.NewReplacer("{", "\n", ",", "\n").Replace(answer), -1) {
			id, err := strconv.Atoi(f[1])
			if err == nil {
				put(id, f[2])
			}
		}
	}
	for id := range clash {
		delete(got, id)
	}
	var missing []string
	for _, id := range asked {
		if _, ok := got[id]; !ok {
			missing = append(missing, strconv.Itoa(id))
		}
	}
	if len(missing) > 0 {
		if len(missing) > 8 {
			missing = append(missing[:8], fmt.Sprintf("… %d in all", len(missing)))
		}
		faults = append(faults, "no tag for line "+strings.Join(missing, ", "))
	}
	if extra > 0 {
		faults = append(faults, fmt.Sprintf("%d tags for lines that were not asked for", extra))
	}
	return got, faults
}

func member(o schema.Object, names ...string) string {
	for _, n := range names {
		if raw, ok := o.Get(n); ok {
			return codec.Unquote(raw)
		}
	}
	return ""
}

// objects finds the valid JSON objects in a text, outermost first, never one inside another.
func objects(text []byte) []schema.Object {
	var out []schema.Object
	for tries := 0; tries < 1000; tries++ {
		i := bytes.IndexByte(text, '{')
		if i < 0 {
			break
		}
		end := codec.ObjectEnd(text[i:], 0)
		if end > 0 && codec.Valid(text[i:i+end]) {
			out = append(out, schema.RawObject(bytes.Clone(text[i:i+end])))
			text = text[i+end:]
			continue
		}
		text = text[i+1:]
	}
	return out
}
