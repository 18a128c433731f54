package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
	"membench/schema/jsonl"
)

// ImageOptions say how a system sees images: by their captions, which the records have,
// and by vectors, where a file has them.
type ImageOptions struct {
	// Vectors is a file of lines {"id": …, "vector": […]}: an image's id, or its path, and
	// a vector of the embedder's space.
	Vectors string `json:"image_vectors"`
}

// images are vectors of images by id or path.
type images map[string][]float32

// load reads the file of vectors; without a file there are none.
func (o ImageOptions) load() (images, error) {
	out := images{}
	if o.Vectors == "" {
		return out, nil
	}
	type line struct {
		ID     string    `json:"id"`
		Vector []float32 `json:"vector"`
	}
	for rec, err := range jsonl.Files[line]([]string{o.Vectors}, nil) {
		if err == nil && (rec.V.ID == "" || len(rec.V.Vector) == 0) {
			err = errors.New("the id or the vector is missing")
		}
		if err != nil {
			return nil, fmt.Errorf(`%s: %w; want lines of {"id": "…", "vector": [numbers]}`, rec.Pos, err)
		}
		out[rec.V.ID] = rec.V.Vector
	}
	return out, nil
}

// open returns the common parts of systems that see images: the vectors, and the capabilities of a system that embeds each pair and each question; d gets an
// embedder.
func (o ImageOptions) open(d *memory.Deps) (images, memory.Capabilities, error) {
	d.Embed = embedder(*d)
	caps := ranked(native.Pair, 1)
	caps.Notes = []string{byCaption}
	seen, err := o.load()
	return seen, caps, err
}

// of is the vector of the first attachment that has one.
func (m images) of(att []schema.Attachment) []float32 {
	for _, a := range att {
		for _, key := range []string{a.ID, a.Path} {
			if v, ok := m[key]; ok && key != "" {
				return v
			}
		}
	}
	return nil
}

// unseen records images without caption and vector: nothing can find them.
func (m images) unseen(o native.Observation, r *memory.Receipt) {
	for _, a := range o.Attachments {
		if a.Caption() == "" && m.of([]schema.Attachment{a}) == nil {
			r.Degraded = append(r.Degraded, memory.Note{Why: fmt.Sprintf("image %q has neither a caption nor a vector: it is kept and cannot be found", a.ID+a.Path)})
		}
	}
}

// joint is the vector of a text with its image: the mean of the two at length 1, as CLIP
// memories have it.
func joint(text, image []float32) []float32 {
	if len(image) != len(text) {
		return text
	}
	out := make([]float32, len(text))
	norm := 0.0
	scale := 1 / math.Sqrt(recall.Dot(image, image))
	for i := range out {
		out[i] = text[i] + float32(float64(image[i])*scale)
		norm += float64(out[i]) * float64(out[i])
	}
	for i := range out {
		out[i] /= float32(math.Sqrt(norm))
	}
	return out
}

// see embeds an observation with its image, and notes images that nothing can find.
func (m images) see(ctx context.Context, e llm.Embedder, o native.Observation, r *memory.Receipt) ([]float32, error) {
	v, err := store.One(ctx, e, &r.Usage, o.Text)
	if err != nil {
		return nil, err
	}
	m.unseen(o, r)
	if image := m.of(o.Attachments); image != nil {
		if len(image) != len(v) {
			return nil, fmt.Errorf("the vector of image %q has %d numbers, those of %s have %d", o.Attachments[0].ID, len(image), e.Profile(), len(v))
		}
		v = joint(v, image)
	}
	return v, nil
}

// asked is the vector of a question with its image.
func (m images) asked(v []float32, q memory.Query) []float32 {
	if image := m.of(q.Attachments); image != nil {
		return joint(v, image)
	}
	return v
}

const byCaption = "images are seen by their captions, and by vectors where image_vectors names a file"
