package published

import (
	"encoding/base64"

	"membench/eval/protocol"
	"membench/schema"
)

// Digests are the rows of an import as a Known has them; the tests hold known.json so.
func Digests(run string, qa []schema.QARecord) (Known, error) {
	same, err := protocol.ByName("em")
	if err != nil {
		return Known{}, err
	}
	var b []byte
	for i := range qa {
		d := digestOf(&qa[i], same[0])
		b = append(append(append(b, d.key[:]...), d.answer[:]...), d.rest[:]...)
		if d.telling {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return Known{run, base64.StdEncoding.EncodeToString(b)}, nil
}
