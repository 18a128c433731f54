package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/internal/build"
	"membench/internal/smallfile"
)

// recordsVersion changes when the same configuration would give other records.
const recordsVersion = "1"

// A Difference is one point in which two runs differ.
type Difference struct{ Name, Had, Wants string }

// ChangedError reports that a folder holds a run with another configuration.
type ChangedError struct {
	Dir         string
	Differences []Difference
}

func (e *ChangedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds a run of another configuration:", e.Dir)
	for _, d := range e.Differences {
		fmt.Fprintf(&b, "\n  %s: the run there has %s, this one %s", d.Name, quoted(d.Had), quoted(d.Wants))
	}
	b.WriteString("\ngive another folder, or the options of the run that is there")
	return b.String()
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// config is everything that decides the records, by name.
func (o Options) config(units []*unit) map[string]string {
	c := map[string]string{"records": recordsVersion, "window": strconv.Itoa(o.Window), "overlap": strconv.Itoa(o.Overlap), "depth": strconv.Itoa(o.Depth),
		"context tokens": strconv.Itoa(o.ContextTokens), "repeats": strconv.Itoa(max(1, o.Repeats)), "ingest anew for each repeat": strconv.FormatBool(o.Reingest),
		"snapshots": strconv.FormatBool(o.Snapshots), "dates in contexts": strconv.FormatBool(!o.Undated), "milliseconds": strconv.FormatBool(o.Now != nil)}
	configSets(c, o.Sets)
	for i := range o.Sets {
		if s := &o.Sets[i]; s.Window != 0 {
			c["window of "+s.Name] = strconv.Itoa(max(0, s.Window))
		}
	}
	var order []string
	for _, u := range units[:len(o.Systems)] {
		c["system "+u.name] = strings.Join([]string{u.info.Name, u.info.Version, u.info.Mode, u.info.Fingerprint}, " ")
		c["hits of "+u.name] = strconv.Itoa(u.k)
		if u.sys.Reader != nil {
			c["reader of "+u.name] = u.sys.Reader.Fingerprint()
		}
		order = append(order, u.name)
	}
	c["systems"] = strings.Join(order, ", ")
	if o.Shard.Of > 0 {
		c[shardKey] = o.Shard.String()
	}
	return c
}

// Names of the data sets in a configuration: their order, and the digest of each behind setKey.
const (
	setsKey = "data sets"
	setKey  = "data set "
)

// The small files that stay in the journal's folder.
const (
	configFile = "config.json"
	doneFile   = "done.json"
)

// state is configFile.
type state struct {
	ID     string            `json:"id"`
	Config map[string]string `json:"config"`
	Units  []unitState       `json:"units"` // in order; their journals are 0000.log, …
}

// unitState is the state of a unit that `eval status` needs.
type unitState struct {
	System    string `json:"system"`
	Dataset   string `json:"dataset"`
	Cases     int    `json:"cases"` // times repeats, where each ingests again
	Questions int    `json:"questions"`
}

// finished is doneFile: the run is over, and these are its files.
type finished struct{ Result }

// intact reports whether the files are there, byte for byte as they were written.
func (d *finished) intact(dir string) bool {
	for _, f := range d.Files {
		if have, err := build.Digest(filepath.Join(dir, f.Path)); err != nil || have.SHA256 != f.SHA256 {
			return false
		}
	}
	return len(d.Files) > 0
}

// whole reports whether the files are there with the size that they had: for a look at
// a run, which is quick and changes nothing.
func (d *finished) whole(dir string) bool {
	for _, f := range d.Files {
		if fileSize(filepath.Join(dir, f.Path)) != f.Bytes {
			return false
		}
	}
	return len(d.Files) > 0
}

// differences are the points in which two configurations differ, by name.
func differences(had, wants map[string]string) (out []Difference) {
	names := maps.Clone(had)
	maps.Copy(names, wants)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := had[name], wants[name]; a != b {
			out = append(out, Difference{name, a, b})
		}
	}
	return out
}

// SameCases returns a ChangedError if the run in a folder asks other cases than those of the sets' digests, or in another order; nil if the folder has no run.
func SameCases(dir string, sets []Set) error {
	var have state
	err := smallfile.ReadJSON(filepath.Join(dir, "journal", configFile), &have)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	had, wants := map[string]string{}, map[string]string{}
	for name, value := range have.Config {
		if name == setsKey || strings.HasPrefix(name, setKey) {
			had[name] = value
		}
	}
	configSets(wants, sets)
	if diffs := differences(had, wants); len(diffs) > 0 {
		return &ChangedError{dir, diffs}
	}
	return nil
}

// configSets adds what decides about the cases of a run.
func configSets(c map[string]string, sets []Set) {
	var order []string
	for i := range sets {
		c[setKey+sets[i].Name] = sets[i].Digest
		order = append(order, sets[i].Name)
	}
	c[setsKey] = strings.Join(order, ", ")
}

// begin compares the folder with the run, and makes it the run's. done is nil where
// something is left to do; id names the run.
func begin(dir string, o Options, units []*unit) (done *finished, id string, err error) {
	want := state{Config: o.config(units)}
	want.ID = cmp.Or(o.ID, fingerprint(want.Config))
	for _, u := range units {
		times := 1
		if u.reingest {
			times = u.repeats
		}
		want.Units = append(want.Units, unitState{u.name, u.set.Name, u.set.Size.Cases * times, u.set.Size.Questions * u.repeats})
	}
	var have state
	path := filepath.Join(dir, configFile)
	switch err := smallfile.ReadJSON(path, &have); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, want.ID, smallfile.WriteJSON(path, want)
	case err != nil:
		return nil, "", err
	}
	if diffs := differences(have.Config, want.Config); len(diffs) > 0 {
		return nil, "", &ChangedError{o.Dir, diffs}
	}
	done = &finished{}
	if err := smallfile.ReadJSON(filepath.Join(dir, doneFile), done); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, have.ID, nil
		}
		return nil, "", err
	}
	if !done.intact(o.Dir) {
		// The journals are gone, and without these files nothing is known: all is asked again.
		return nil, have.ID, os.Remove(filepath.Join(dir, doneFile))
	}
	return done, have.ID, nil
}

// fingerprint names the run in namespaces of services.
func fingerprint(c map[string]string) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(h, "%q=%q\n", k, c[k])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// end notes that the run is over, then gives the journals up.
func end(dir string, units []*unit, res Result) error {
	res.Known = 0
	if err := smallfile.WriteJSON(filepath.Join(dir, doneFile), finished{res}); err != nil {
		return err
	}
	return removeJournals(dir, len(units))
}

// Resolved is everything that decides the records of a run, by name: for its manifest.
func Resolved(o Options) (map[string]string, error) {
	units, err := o.prepare()
	if err != nil {
		return nil, err
	}
	return o.config(units), nil
}
