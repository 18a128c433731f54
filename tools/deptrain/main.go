// Command deptrain makes the weights of internal/depparse from a treebank in CoNLL-U.
//
//	deptrain -train train.conllu -test test.conllu -o internal/depparse/model.bin
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"membench/internal/depparse"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "deptrain:", err)
		os.Exit(1)
	}
}

func run() error {
	train := flag.String("train", "", "treebank to learn from")
	test := flag.String("test", "", "treebank to measure on")
	out := flag.String("o", "", "file to write")
	epochs := flag.Int("epochs", 10, "passes over the treebank")
	size := flag.Int("bytes", 4_800_000, "size that the model may have")
	seed := flag.Uint64("seed", 1, "order of the sentences")
	flag.Parse()
	if *train == "" || *test == "" || *out == "" {
		return errors.New("want -train, -test and -o")
	}
	sentences, err := read(*train)
	if err != nil {
		return err
	}
	held, err := read(*test)
	if err != nil {
		return err
	}
	file := depparse.Train(append(sentences, casual(sentences)...), depparse.TrainOptions{Epochs: *epochs, Bytes: *size, Seed: *seed, Log: func(f string, a ...any) { fmt.Fprintf(os.Stderr, f+"\n", a...) }})
	for _, part := range []struct {
		name string
		ss   [][]depparse.Word
	}{{"as written", held}, {"in lower case, without marks", casual(held)}} {
		sc, err := depparse.Measure(file, part.ss)
		if err != nil {
			return err
		}
		n := float64(sc.Words)
		fmt.Printf("%s: %d words, tags %.3f, heads %.3f, labelled %.3f\n", part.name, sc.Words, float64(sc.Tags)/n, float64(sc.Heads)/n, float64(sc.Labelled)/n)
	}
	fmt.Printf("%d bytes\n", len(file))
	return os.WriteFile(*out, file, 0o666)
}

func read(name string) ([][]depparse.Word, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return depparse.ReadCoNLLU(f)
}

// casual is every fourth sentence as a chat writes it: in lower case, without the mark
// at its end and without apostrophes.
func casual(ss [][]depparse.Word) (out [][]depparse.Word) {
	for i := 0; i < len(ss); i += 4 {
		s := slices.Clone(ss[i])
		if n := len(s) - 1; n > 0 && s[n].Rel == "punct" && !slices.ContainsFunc(s, func(w depparse.Word) bool { return w.Head == n }) {
			s = s[:n]
		}
		for k := range s {
			s[k].Form = strings.ToLower(strings.ReplaceAll(s[k].Form, "'", ""))
			if s[k].Form == "" {
				s[k].Form = "'"
			}
		}
		out = append(out, s)
	}
	return out
}
