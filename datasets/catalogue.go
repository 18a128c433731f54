package datasets

import (
	_ "embed"
	"errors"
	"sync"

	"membench/internal/codec"
	"membench/internal/yamldoc"
)

// StatusListed is the status of a set that is named for its terms: nothing reads it.
const StatusListed = "listed"

// Info is the catalogue's entry of a data set: its location, its terms of use, and how far its reader was tested.
type Info struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Home    string `json:"home"`
	Licence string `json:"licence"`
	Terms   string `json:"terms"` // terms of use of its files; shown before fetching
	// Redistributable reports that the files, or parts of them, may be redistributed with their notice.
	Redistributable bool   `json:"redistributable"`
	Status          string `json:"status"`              // read: its files are cases; convert: a converter makes some of them; or StatusListed
	Checked         string `json:"checked,omitzero"`    // the files that the reader was run on
	Unverified      string `json:"unverified,omitzero"` // parts of the format known only from someone's source code
	Size            string `json:"size,omitzero"`       // cases and questions upstream, as counted or published
	Files           []File `json:"files,omitempty"`
	// Whole is the size of the published set; ByCase the known sizes of its cases, by id: reading reports a smaller case. Both are counts from the published
	// files.
	Whole  Counts            `json:"whole,omitzero"`
	ByCase map[string]Counts `json:"by_case,omitempty"`
	Note   string            `json:"note,omitzero"`
}

// A File is one that can be fetched. Without SHA256 fetching wants the sum from the user.
type File struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	SHA256 string `json:"sha256,omitzero"`
	Bytes  int64  `json:"bytes,omitzero"`
	Note   string `json:"note,omitzero"`
}

//go:embed catalogue.yaml
var catalogueText []byte

// Catalogue lists every known data set by name.
var Catalogue = sync.OnceValue(func() (list []Info) {
	text, err := yamldoc.ToJSON(catalogueText)
	if err := errors.Join(err, codec.Unmarshal(text, &list)); err != nil {
		panic(err) // a test reads it
	}
	return list
})

// Lookup finds one by name.
func Lookup(name string) (Info, bool) {
	for _, i := range Catalogue() {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}
