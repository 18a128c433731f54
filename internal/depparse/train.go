package depparse

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// ReadCoNLLU reads the sentences of a treebank. Words that a contraction is written as
// (ids "3-4") and empty nodes ("3.1") are skipped.
func ReadCoNLLU(r io.Reader) ([][]Word, error) {
	var out [][]Word
	var cur []Word
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	flush := func() {
		if len(cur) > 0 {
			out = append(out, cur)
		}
		cur = nil
	}
	for line := 1; sc.Scan(); line++ {
		f := strings.Split(sc.Text(), "\t")
		switch {
		case sc.Text() == "":
			flush()
		case len(f) != 10 || strings.ContainsAny(f[0], "-."):
		default:
			h, err := strconv.Atoi(f[6])
			if err != nil {
				return nil, fmt.Errorf("line %d: head %q", line, f[6])
			}
			cur = append(cur, Word{Form: f[1], Tag: f[4], Head: h - 1, Rel: f[7]})
		}
	}
	flush()
	return out, sc.Err()
}

// TrainOptions say how to train.
type TrainOptions struct {
	Epochs int
	Bytes  int // the size that the model may have
	Seed   uint64
	Log    func(format string, a ...any)
}

// A learner is an averaged perceptron while it learns (Collins 2002).
type learner struct {
	classes []string
	index   map[string]int
	w       map[uint32][]cell
	step    int32
	score   []float32
}

type cell struct {
	class   uint8
	updates uint16
	since   int32
	now     float32
	sum     float64
}

func newLearner(classes []string) *learner {
	l := &learner{classes: classes, index: map[string]int{}, w: map[uint32][]cell{}, score: make([]float32, len(classes))}
	for i, c := range classes {
		l.index[c] = i
	}
	return l
}

func (l *learner) vote(fs []uint32) []float32 {
	clear(l.score)
	for _, f := range fs {
		for _, c := range l.w[f] {
			l.score[c.class] += c.now
		}
	}
	return l.score
}

// learn moves the weights from the class that was guessed to the one that is right.
func (l *learner) learn(fs []uint32, right, guess int) {
	l.step++
	if right == guess {
		return
	}
	for _, f := range fs {
		cs := l.w[f]
		cs = l.add(cs, right, 1)
		cs = l.add(cs, guess, -1)
		l.w[f] = cs
	}
}

func (l *learner) add(cs []cell, class int, by float32) []cell {
	i := slices.IndexFunc(cs, func(c cell) bool { return int(c.class) == class })
	if i < 0 {
		i = len(cs)
		cs = append(cs, cell{class: uint8(class), since: l.step})
	}
	c := &cs[i]
	c.sum += float64(c.now) * float64(l.step-c.since)
	c.since = l.step
	c.now += by
	if c.updates < 1<<15 {
		c.updates++
	}
	return cs
}

// Train makes a model of a treebank's sentences.
func Train(sentences [][]Word, o TrainOptions) []byte {
	classes := func(of func(Word) string) []string {
		m := map[string]bool{}
		for _, s := range sentences {
			for _, w := range s {
				m[of(w)] = true
			}
		}
		return slices.Sorted(maps.Keys(m))
	}
	tags := classes(func(w Word) string { return w.Tag })
	rels := classes(func(w Word) string { return w.Rel })
	// The parser learns on tags as the tagger gives them to sentences it has not seen.
	const folds = 5
	ts := make([][]token, len(sentences))
	for k := range folds {
		var rest [][]Word
		for i, s := range sentences {
			if i%folds != k {
				rest = append(rest, s)
			}
		}
		l := trainTagger(rest, tags, o)
		for i := k; i < len(sentences); i += folds {
			ts[i] = tokensOf(sentences[i])
			l.tagAll(ts[i])
		}
		o.Log("fold %d tagged", k+1)
	}
	tagger := trainTagger(sentences, tags, o)
	mover, labeller := trainParser(sentences, ts, rels, o)
	out := []byte(magic)
	for i, l := range []*learner{tagger, mover, labeller} {
		share := []int{30, 45, 25}[i]
		out = l.append(out, o.Bytes*share/100)
		o.Log("perceptron %d: %d bytes so far", i+1, len(out))
	}
	return out
}

func trainTagger(sentences [][]Word, tags []string, o TrainOptions) *learner {
	l := newLearner(tags)
	rnd := rand.New(rand.NewPCG(o.Seed, 1))
	order := rnd.Perm(len(sentences))
	var fs []uint32
	for range o.Epochs {
		rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, k := range order {
			ts := tokensOf(sentences[k])
			for i := range ts {
				fs = tagFeatures(fs, ts, i)
				guess, right := best(l.vote(fs)), l.index[sentences[k][i].Tag]
				l.learn(fs, right, guess)
				ts[i].tag = uint32(guess) + 1
			}
		}
	}
	return l
}

// tagAll tags with the averages, as the finished model does.
func (l *learner) tagAll(ts []token) {
	var fs []uint32
	score := make([]float64, len(l.classes))
	for i := range ts {
		fs = tagFeatures(fs, ts, i)
		clear(score)
		for _, f := range fs {
			for _, c := range l.w[f] {
				score[c.class] += l.mean(c)
			}
		}
		b := 0
		for j := range score {
			if score[j] > score[b] {
				b = j
			}
		}
		ts[i].tag = uint32(b) + 1
	}
}

func (l *learner) mean(c cell) float64 {
	return (c.sum + float64(c.now)*float64(l.step-c.since)) / float64(max(l.step, 1))
}

// explore is how often the parser follows its own guess while it learns, once it has
// seen every sentence.
const explore = 0.9

func trainParser(sentences [][]Word, ts [][]token, rels []string, o TrainOptions) (mover, labeller *learner) {
	mover, labeller = newLearner([]string{"shift", "left", "right"}), newLearner(rels)
	rnd := rand.New(rand.NewPCG(o.Seed, 2))
	order := rnd.Perm(len(sentences))
	var fs []uint32
	for epoch := range o.Epochs {
		rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		wrong := 0
		for _, k := range order {
			gold := sentences[k]
			s := newState(ts[k])
			for !s.done() {
				fs = moveFeatures(fs, s)
				score := mover.vote(fs)
				guess, right, low := -1, -1, 1<<30
				cost := s.costs(gold)
				for a := range 3 {
					if !s.may(a) {
						continue
					}
					if guess < 0 || score[a] > score[guess] {
						guess = a
					}
					if cost[a] < low || cost[a] == low && score[a] > score[right] {
						right, low = a, cost[a]
					}
				}
				take := guess
				if cost[guess] > low {
					wrong++
					mover.learn(fs, right, guess)
					if epoch == 0 || rnd.Float64() > explore {
						take = right
					}
				} else {
					mover.learn(fs, guess, guess)
				}
				s.apply(take)
			}
			// Labels are learnt on the arcs that the parser got right.
			for i, w := range gold {
				if s.head[i] != w.Head {
					continue
				}
				fs = labelFeatures(fs, s, i)
				labeller.learn(fs, labeller.index[w.Rel], best(labeller.vote(fs)))
			}
		}
		o.Log("parser, epoch %d: %d wrong moves", epoch+1, wrong)
	}
	return mover, labeller
}

// costs is how many gold arcs each move makes unreachable (Goldberg and Nivre 2013). The
// root is the position behind the last word.
func (s *state) costs(gold []Word) (cost [3]int) {
	n := len(gold)
	headOf := func(i int) int {
		if gold[i].Head < 0 {
			return n
		}
		return gold[i].Head
	}
	if s.next < n {
		b := s.next
		h := headOf(b)
		for k, i := range s.stack {
			if h == i && k != len(s.stack)-1 {
				cost[shift]++
			}
			if headOf(i) == b {
				cost[shift]++
			}
		}
	}
	if len(s.stack) == 0 {
		return cost
	}
	top := s.peek(0)
	h := headOf(top)
	if h > s.next || h == s.peek(1) {
		cost[left]++
	}
	if h >= s.next {
		cost[right]++
	}
	for d := s.next; d < n; d++ {
		if headOf(d) == top {
			cost[left]++
			cost[right]++
		}
	}
	return cost
}

// append writes the perceptron in the form that decode reads. Of the features those
// with the largest weights stay, as many as fit.
func (l *learner) append(out []byte, budget int) []byte {
	type feature struct {
		key   uint32
		cells []byte
		size  float64
	}
	top := 0.0
	for _, cs := range l.w {
		for _, c := range cs {
			top = max(top, l.mean(c), -l.mean(c))
		}
	}
	// Few weights are near the largest: those are clipped so that the others keep detail.
	scale := 127 / (top * 0.35)
	var all []feature
	for _, key := range slices.Sorted(maps.Keys(l.w)) {
		f := feature{key: key}
		for _, c := range l.w[key] {
			v := min(127, max(-127, l.mean(c)*scale))
			q := int8(v + 0.5)
			if v < 0 {
				q = int8(v - 0.5)
			}
			if q == 0 || c.updates < 2 {
				continue
			}
			f.cells = append(f.cells, c.class, byte(q))
			f.size = max(f.size, v, -v)
		}
		if len(f.cells) > 0 {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b feature) int { return cmp.Compare(b.size, a.size) })
	used, n := 0, 0
	for n < len(all) && used < budget {
		used += 3 + 1 + len(all[n].cells)
		n++
	}
	all = all[:n]
	slices.SortFunc(all, func(a, b feature) int { return cmp.Compare(a.key, b.key) })
	out = append(out, strings.Join(l.classes, " ")...)
	out = append(out, '\n')
	out = binary.AppendUvarint(out, uint64(len(all)))
	last := uint32(0)
	for _, f := range all {
		out = binary.AppendUvarint(out, uint64(f.key-last))
		out = append(out, byte(len(f.cells)/2))
		out = append(out, f.cells...)
		last = f.key
	}
	return out
}

// A Score is the share of words that a model reads as the treebank does.
type Score struct{ Words, Tags, Heads, Labelled int }

// Measure reads a treebank's sentences with a model; marks are left out of heads and labels.
func Measure(file []byte, sentences [][]Word) (Score, error) {
	m, err := decode(string(file))
	if err != nil {
		return Score{}, err
	}
	var sc Score
	for _, gold := range sentences {
		ws := slices.Clone(gold)
		m.read(ws)
		for i, w := range ws {
			sc.Words++
			if w.Tag == gold[i].Tag {
				sc.Tags++
			}
			if w.Head == gold[i].Head {
				sc.Heads++
				if w.Rel == gold[i].Rel {
					sc.Labelled++
				}
			}
		}
	}
	return sc, nil
}
