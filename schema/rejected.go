package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A RejectedError ends a step that lost records, or took some with faults: it is an ErrFindings.
type RejectedError struct {
	Step     string
	Rejected int
	Faulty   int // findings in records that were taken all the same
	Taken    int
	Written  bool // the accepted records are written
}

func (e *RejectedError) Error() string {
	s := fmt.Sprintf("%s: %d rejected, %d taken (records or files of the input; a finding names each that was rejected)", e.Step, e.Rejected, e.Taken)
	if e.Rejected+e.Taken == 0 {
		s = e.Step + ": the input has no record"
	}
	if e.Faulty > 0 {
		s += fmt.Sprintf("; faults in what was taken: %d", e.Faulty)
	}
	if !e.Written {
		s += "; nothing was written"
	}
	return s
}

// Is reports whether target is ErrFindings.
func (e *RejectedError) Is(target error) bool { return target == ErrFindings }

// A BrokenError ends a step that cannot read an input at all, because of its content: it is an ErrFindings.
type BrokenError struct{ Err error }

// Brokenf makes a BrokenError.
func Brokenf(format string, args ...any) error {
	return &BrokenError{Err: fmt.Errorf(format, args...)}
}

func (e *BrokenError) Error() string { return e.Err.Error() }
func (e *BrokenError) Unwrap() error { return e.Err }

// Is reports whether target is ErrFindings.
func (e *BrokenError) Is(target error) bool { return target == ErrFindings }

// A Loss counts the records that a step could not accept.
type Loss struct {
	Step     string
	Rejected int
	Faulty   int // records with faults that are taken all the same; Accept counts them, too
	Taken    int
	Read     int // records that were read; 0: Rejected and Taken are all
	Accept   Limit
	Strict   bool // write nothing when more is rejected than Accept allows
	Empty    bool // an input without a record is not a loss: a step before may have found none
}

// Lost reports whether more records were rejected than Accept allows. Where all were,
// no share is accepted: the input is of another kind. Nor is an input without a record.
func (l Loss) Lost() bool {
	faults := l.Rejected + l.Faulty
	if l.Taken == 0 {
		return faults > 0 || !l.Empty
	}
	return faults > 0 && !l.Accept.Allows(faults, cmp.Or(l.Read, l.Rejected+l.Taken))
}

// Error is the error of a step that lost records.
func (l Loss) Error(written bool) *RejectedError {
	e := &RejectedError{Step: l.Step, Rejected: l.Rejected, Faulty: l.Faulty, Taken: l.Taken, Written: written}
	if l.Read > 0 && l.Taken > 0 { // Taken may count what was made of them
		e.Taken = max(0, l.Read-l.Rejected)
	}
	return e
}

// Before is called before anything is written: it returns a *RejectedError if nothing may be written.
func (l Loss) Before() error {
	if l.Lost() && (l.Strict || l.Taken == 0) {
		return l.Error(false)
	}
	return nil
}

// After is called when everything is written: it returns a *RejectedError if some records were lost.
func (l Loss) After() error {
	if l.Lost() {
		return l.Error(true)
	}
	return nil
}

// A FailedError ends a step in which a model or a service failed for some records. Those
// are not at fault, and the next run asks about them again.
type FailedError struct {
	Step    string
	Failed  int
	Taken   int
	Why     map[string]int // how they failed (Finding.Failed)
	Written bool           // the successful results are written
	Again   string         // the flag with which the next run asks about them, where one is needed
}

// Add adds the failures of another step.
func (e *FailedError) Add(more *FailedError) {
	if more == nil {
		return
	}
	if e.Why == nil {
		e.Why = map[string]int{}
	}
	e.Failed += more.Failed
	Tally(e.Why, more.Why)
}

// AsError is e, and nil where nothing failed.
func (e *FailedError) AsError() error {
	if e == nil || e.Failed == 0 {
		return nil
	}
	return e
}

func (e *FailedError) Error() string {
	var why []string
	for _, k := range slices.Sorted(maps.Keys(e.Why)) {
		if k == "failed" {
			why = append(why, fmt.Sprintf("%d without an answer", e.Why[k]))
			continue
		}
		why = append(why, fmt.Sprintf("%d %s", e.Why[k], strings.ReplaceAll(k, "_", " ")))
	}
	s := fmt.Sprintf("%s: %d failed (%s)", e.Step, e.Failed, strings.Join(why, ", "))
	if e.Taken > 0 {
		s = fmt.Sprintf("%s: %d failed (%s), %d taken", e.Step, e.Failed, strings.Join(why, ", "), e.Taken)
	}
	if !e.Written {
		return s + "; nothing was written"
	}
	if e.Again != "" {
		return s + "; run it again with " + e.Again + ": only what failed is asked about"
	}
	return s + "; run it again: only what failed is asked about"
}

// Written reports whether err only says that some records were lost or failed, and the rest is written.
func Written(err error) bool {
	var lost *RejectedError
	var failed *FailedError
	isLost, isFailed := errors.As(err, &lost), errors.As(err, &failed)
	return (isLost || isFailed) && (!isLost || lost.Written) && (!isFailed || failed.Written)
}

// A Limit is how many rejected records are accepted: N of them, or Percent of all that
// were read. The zero Limit accepts none.
type Limit struct {
	N       int
	Percent float64 // 0 to 100
}

// ParseLimit reads "12" or "0.5%".
func ParseLimit(s string) (l Limit, err error) {
	if p, ok := strings.CutSuffix(s, "%"); ok {
		l.Percent, err = strconv.ParseFloat(p, 64)
		ok = err == nil && l.Percent >= 0 && l.Percent <= 100
		if !ok {
			err = fmt.Errorf("have %q, want a number, or a share from 0%% to 100%%", s)
		}
		return l, err
	}
	if l.N, err = strconv.Atoi(s); err != nil || l.N < 0 {
		err = fmt.Errorf("have %q, want a number, or a share from 0%% to 100%%", s)
	}
	return l, err
}

// Allows reports whether rejected of all records are accepted. The last digits of the product, which are rounding, do not decide: 0.57 % of 10,000 are 57.
func (l Limit) Allows(rejected, all int) bool {
	return rejected <= l.N || 100*float64(rejected) <= l.Percent*float64(all)*(1+1e-15)
}

func (l Limit) String() string {
	if l.Percent > 0 {
		return strconv.FormatFloat(l.Percent, 'g', -1, 64) + "%"
	}
	return strconv.Itoa(l.N)
}

// Tally adds counts to counts.
func Tally[K comparable](to, more map[K]int) {
	for k, n := range more {
		to[k] += n
	}
}
