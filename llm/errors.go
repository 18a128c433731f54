package llm

import (
	"errors"
	"fmt"
)

// A Kind classifies an error, so that callers can decide without parsing messages.
type Kind string

// The kinds of failure. A client has tried again where that can help.
const (
	KindNetwork   Kind = "network"   // no connection, or one that broke
	KindTimeout   Kind = "timeout"   // no answer in time
	KindRate      Kind = "rate"      // too many requests (429), still after the pauses asked for
	KindServer    Kind = "server"    // a fault of the server's (5xx)
	KindMalformed Kind = "malformed" // an answer that is not of the protocol: no JSON, cut off, no choice
	KindEmpty     Kind = "empty"     // an answer without a text
	KindCutOff    Kind = "cut-off"   // an answer that ended at its length limit before it could be used
	KindUnusable  Kind = "unusable"  // the content does not fit the request, even after the repair
	KindRefused   Kind = "refused"   // the model refuses to answer this
	KindFiltered  Kind = "filtered"  // the endpoint's content filter stopped question or answer
	KindTooLong   Kind = "too-long"  // the question does not fit the model's context
	KindRequest   Kind = "request"   // refused for another reason (4xx)
	KindKey       Kind = "key"       // key missing, wrong or without the right (401, 403)
	KindModel     Kind = "model"     // the endpoint does not know the model or the path (404)
	KindQuota     Kind = "quota"     // nothing left on the account
	KindDown      Kind = "down"      // too many attempts failed in a row: the endpoint is abandoned (Breaker)
	KindBudget    Kind = "budget"    // the run's own budget would be passed
	KindMissing   Kind = "missing"   // not in the cassette, and no model may be called
	KindStore     Kind = "store"     // answers can no longer be kept, so none is paid for
	KindCanceled  Kind = "canceled"  // the caller's context ended
	KindDryRun    Kind = "dry-run"   // no model is called: the calls are only estimated
)

// Error is the typed failure of a model call, after the retries of the client.
type Error struct {
	Purpose string
	Kind    Kind
	Status  int   // HTTP status, 0 where there was no answer
	Usage   Usage // cost of the failed attempts, as far as known
	Err     error
}

func (e *Error) Error() string {
	hint := ""
	switch e.Kind {
	case KindKey:
		hint = " (check the key in the environment or .env; `membench doctor` tries it)"
	case KindModel:
		hint = " (check model name and base URL; `membench doctor` lists the models)"
	case KindDown:
		hint = " (start the command again when the endpoint is back: what was answered is kept)"
	case KindQuota:
		hint = " (the account is empty: waiting does not help)"
	}
	if e.Status != 0 {
		return fmt.Sprintf("asking model for %s: status %d: %v%s", e.Purpose, e.Status, e.Err, hint)
	}
	return fmt.Sprintf("asking model for %s: %v%s", e.Purpose, e.Err, hint)
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of a failed call, "" for any other error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// Fatal reports whether a failure would affect every other call too, so that a run should stop instead of falling back to rules or counting errors: a rejected
// key, an unknown model, an empty account, an endpoint that is permanently down, a spent budget, a cassette that lacks a call or cannot be written, an
// interrupt.
func Fatal(err error) bool {
	switch KindOf(err) {
	case KindKey, KindModel, KindQuota, KindDown, KindBudget, KindMissing, KindStore, KindCanceled:
		return true
	}
	return false
}

// Passing reports whether a failure may be temporary: no answer arrived, and the same question may get one later, by itself or after a repair. Steps that store
// results permanently stop in this case instead of falling back to rules: the next run asks again.
func Passing(err error) bool {
	switch KindOf(err) {
	case KindNetwork, KindTimeout, KindRate, KindServer, KindMalformed, KindEmpty, KindRequest:
		return true
	}
	return false
}

// Lasting reports whether asking the same again would fail the same way: such a
// failure is an outcome, and a cassette keeps it.
func Lasting(err error) bool {
	switch KindOf(err) {
	case KindFiltered, KindRefused, KindTooLong:
		return true
	}
	return false
}
