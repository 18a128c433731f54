package chain

import (
	"errors"
	"io/fs"
	"sync"

	"membench/claims"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/internal/smallfile"
	"membench/schema"
)

// answers is the cache of paid answers: a log of {"key", "value"}, held in memory,
// about the size of the claims that they hold. The last value of a key counts.
type answers struct {
	mu   sync.Mutex
	log  *keylog.Log
	have map[string][]byte
}

type answer struct {
	Key   string        `json:"key"`
	Value schema.Object `json:"value"`
}

func openAnswers(path string) (*answers, error) {
	a := &answers{have: map[string][]byte{}}
	log, err := keylog.Open(path, keylog.Options{}, func(_ int, line []byte) error {
		var r answer
		if err := codec.Unmarshal(line, &r); err != nil {
			return err
		}
		raw, err := r.Value.MarshalJSON()
		a.have[r.Key] = raw
		return err
	})
	a.log = log
	return a, err
}

func (a *answers) Get(key string) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.have[key]
	return v, ok
}

func (a *answers) Put(key string, value []byte) error {
	line, err := codec.Append(nil, answer{key, schema.RawObject(value)}, codec.Compact)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.have[key] = value
	return a.log.Append(line)
}

func (a *answers) Close() error { return a.log.Close() }

func readTags(path string) (*claims.Tags, error) {
	b, err := smallfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r claims.Registry
	if err := codec.Unmarshal(b, &r); err != nil {
		return nil, err
	}
	return claims.NewTags(r), nil
}
