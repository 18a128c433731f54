package memoryagentbench

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/parquet-go/parquet-go"
)

// maxParquet is the largest parquet file read: it is in memory whole, as its
// footer is at the end. The benchmark's four are below 200 MB.
const maxParquet = 1 << 30

// asLines is a parquet file as JSON Lines, one row a line: from there on a row is read
// as any other. Rows are read one by one.
func asLines(f jsonl.File) jsonl.File {
	return jsonl.File{Name: f.Name, Open: func() (io.ReadCloser, error) {
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer in.Close()
		b, err := io.ReadAll(io.LimitReader(in, maxParquet+1))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Name, err)
		}
		if len(b) > maxParquet {
			return nil, fmt.Errorf("%s: longer than %d bytes", f.Name, maxParquet)
		}
		r, w := io.Pipe()
		go func() { w.CloseWithError(writeRows(w, b, f.Name)) }()
		return r, nil
	}}
}

// writeRows writes each row as a line. The library panics on some damaged files.
func writeRows(w io.Writer, b []byte, name string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damaged(name, fmt.Errorf("%v", p))
		}
	}()
	file, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return damaged(name, err)
	}
	r := parquet.NewGenericReader[any](file)
	defer r.Close()
	rows := make([]any, 1)
	var line []byte
	for {
		n, err := r.Read(rows)
		if n == 1 {
			if line, err2 := codec.Append(line[:0], plain(rows[0]), codec.Compact); err2 != nil {
				return err2
			} else if _, err2 := w.Write(append(line, '\n')); err2 != nil {
				return err2
			}
			rows[0] = nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(name, err)
		}
	}
}

func damaged(name string, err error) error {
	return &schema.Finding{Pos: schema.Pos{File: name}, Code: "DST001", Message: "the parquet file cannot be read: " + err.Error(), Hint: "fetch it again"}
}

// plain takes the wrapping of parquet's lists off: {"list": [{"element": x}]} is [x].
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if list, ok := v["list"].([]any); ok && len(v) == 1 {
			out := make([]any, len(list))
			for i, el := range list {
				if m, ok := el.(map[string]any); ok && len(m) == 1 {
					for _, inner := range m { // the one member: element, or item
						el = inner
					}
				}
				out[i] = plain(el)
			}
			return out
		}
		for k, x := range v {
			v[k] = plain(x)
		}
		return v
	case []any:
		for i, x := range v {
			v[i] = plain(x)
		}
		return v
	case []byte:
		return string(v)
	}
	return v
}
