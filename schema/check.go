package schema

import (
	"cmp"
	"errors"

	"membench/internal/codec"
)

// States of a Check.
const (
	CheckOK   = "ok"
	CheckWarn = "warn"
	CheckFail = "fail"
	CheckNA   = "n/a" // the thing cannot be checked here
)

// Check is the outcome of looking at one thing: a setting, a server, a promise of a memory system.
type Check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // CheckOK, CheckWarn, CheckFail or CheckNA
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // how to fix it, for CheckWarn and CheckFail
}

// UnmarshalJSON also reads the key "mend", the older name of "fix". It fails on JSON that is not a check.
func (c *Check) UnmarshalJSON(b []byte) error {
	type check Check
	v := struct {
		check
		Mend string `json:"mend"`
	}{}
	if err := codec.Unmarshal(b, &v); err != nil {
		return err
	}
	if v.Fix != "" && v.Mend != "" {
		return errors.New(`a check has "fix" or its old name "mend", not both`)
	}
	v.Fix = cmp.Or(v.Fix, v.Mend)
	*c = Check(v.check)
	return nil
}
