package service

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/internal/textnorm"
)

// A Kind classifies an error, so that callers can decide without parsing messages.
type Kind string

const (
	KindNetwork   Kind = "network"   // no connection, or one that broke while reading
	KindTimeout   Kind = "timeout"   // no answer in time while reading
	KindRate      Kind = "rate"      // too many requests, still after the pauses asked for; nothing was stored
	KindServer    Kind = "server"    // a fault of the server's, still after the retries
	KindRefused   Kind = "refused"   // the service refuses the request, also inside a 200
	KindKey       Kind = "key"       // key missing or wrong (401, 403)
	KindMalformed Kind = "malformed" // an answer that does not have the form of the spec
	KindUnsure    Kind = "unsure"    // a write that may or may not have happened: the namespace is spoilt
	KindSettle    Kind = "settle"    // background work failed, or did not end in time
	KindLost      Kind = "lost"      // a stored item cannot be read back
	KindStale     Kind = "stale"     // a namespace that should be new holds something
	KindPaging    Kind = "paging"    // a list that repeats itself, or is cut off
	KindSpec      Kind = "spec"      // the spec asks for a value that is not there
)

// Error is the typed failure of a service. It holds no secret.
type Error struct {
	System, Step string
	Kind         Kind
	Status       int    // of HTTP; 0 where there was no answer
	RequestID    string // the service's own, for its operators
	Message      string
	Err          error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: ", e.System, e.Step)
	if e.Status != 0 {
		fmt.Fprintf(&b, "status %d: ", e.Status)
	}
	b.WriteString(e.Message)
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", e.RequestID)
	}
	switch e.Kind {
	case KindKey:
		b.WriteString(" (check the key in the environment or .env)")
	case KindUnsure:
		b.WriteString("; it is unknown whether it was stored: open the namespace again and ingest again")
	case KindNetwork:
		b.WriteString(" (is the service running at the address of the spec's base_url?)")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of a failure of a service, "" for any other error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

const (
	maxAnswer  = 64 << 20         // bytes of one answer
	firstPause = time.Second / 2  // doubled by every retry
	maxPause   = 30 * time.Second // of our own choice
	maxAsked   = 5 * time.Minute  // longest pause that a service may ask for
)

// reply is one answer, decoded where it is JSON.
type reply struct {
	status  int
	header  http.Header
	raw     []byte
	body    any
	bad     error // why body is not there
	ignored bool
}

// do sends a request until it is answered, rejected or given up. write reports that sending it twice would store twice.
func (s *System) do(ctx context.Context, step string, r request, sc *scope, write bool) (*reply, error) {
	out, err := s.build(r, sc)
	if err != nil {
		return nil, &Error{System: s.spec.System, Step: step, Kind: KindSpec, Message: err.Error(), Err: err}
	}
	write = write && !s.spec.Idempotent
	for try := 0; ; try++ {
		rep, err := s.once(ctx, out)
		if ctx.Err() != nil && rep == nil {
			if write && !unsent(err) {
				return nil, s.fault(step, KindUnsure, nil, "interrupted while the service was storing", ctx.Err())
			}
			return nil, ctx.Err()
		}
		fail := s.judge(step, r, rep, err, write)
		if fail == nil {
			return rep, nil
		}
		if try >= s.spec.Retry.Max || !s.again(fail, rep, err, write) {
			return nil, fail
		}
		pause := s.pause(try, rep)
		if pause > maxAsked {
			fail.Message += fmt.Sprintf("; it asks to wait %v", pause)
			return nil, fail
		}
		if err := s.o.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// outgoing is one request with everything filled in.
type outgoing struct {
	method, target string
	header         map[string]string
	payload        []byte // nil: no body
}

func (s *System) build(r request, sc *scope) (*outgoing, error) {
	p, err := expandString(r.Path, sc)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	out := &outgoing{method: r.Method, target: s.base + text(p)}
	query, err := flat("query", r.Query, sc)
	if err != nil {
		return nil, err
	}
	if len(query) > 0 {
		values := url.Values{}
		for k, v := range query {
			values.Set(k, v)
		}
		out.target += "?" + values.Encode()
	}
	if out.header, err = flat("header", r.Headers, sc); err != nil {
		return nil, err
	}
	switch {
	case r.Form != nil:
		form, err := flat("form", r.Form, sc)
		if err != nil {
			return nil, err
		}
		out.header["Content-Type"], out.payload, err = multipartBody(form)
		return out, err
	case r.Body != nil:
		v, err := expand(r.Body, sc)
		if err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		if out.payload, err = codec.Append(nil, v, codec.Compact); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		out.header["Content-Type"] = "application/json"
	}
	return out, nil
}

// flat fills in a map of templates as texts; absent optional values are skipped.
func flat[V any](where string, m map[string]V, sc *scope) (map[string]string, error) {
	out := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v, err := expand(any(m[k]), sc)
		if err == errAbsent {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", where, k, err)
		}
		out[k] = text(v)
	}
	return out, nil
}

// multipartBody writes a form. Its boundary is made of the parts: the same form has the
// same bytes. A part NAME@FILE is a file of that name, plain text.
func multipartBody(form map[string]string) (kind string, body []byte, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	sum := sha256.Sum256(fmt.Append(nil, form)) // in the order of its keys
	if err := w.SetBoundary("membench-" + hex.EncodeToString(sum[:16])); err != nil {
		return "", nil, err
	}
	for _, k := range slices.Sorted(maps.Keys(form)) {
		name, file, isFile := strings.Cut(k, "@")
		named, h := map[string]string{"name": name}, textproto.MIMEHeader{}
		if isFile {
			named["filename"] = file
			h.Set("Content-Type", "text/plain")
		}
		h.Set("Content-Disposition", mime.FormatMediaType("form-data", named))
		part, err := w.CreatePart(h)
		if err != nil {
			return "", nil, err
		}
		if _, err := io.WriteString(part, form[k]); err != nil {
			return "", nil, err
		}
	}
	err = w.Close()
	return w.FormDataContentType(), b.Bytes(), err
}

// once sends one request and reads the whole answer.
func (s *System) once(ctx context.Context, out *outgoing) (*reply, error) {
	if err := s.enter(ctx); err != nil {
		return nil, unsentError{err}
	}
	defer s.leave()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.spec.Timeout))
	defer cancel()
	var body io.Reader
	if out.payload != nil {
		body = bytes.NewReader(out.payload)
	}
	req, err := http.NewRequestWithContext(ctx, out.method, out.target, body)
	if err != nil {
		return nil, unsentError{err}
	}
	for k, v := range s.headers {
		req.Header.Set(k, v)
	}
	for k, v := range out.header {
		req.Header.Set(k, v)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	rep := &reply{status: resp.StatusCode, header: resp.Header}
	rep.raw, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return rep, fmt.Errorf("the answer broke off after %d bytes: %w", len(rep.raw), err)
	}
	if len(rep.raw) > maxAnswer {
		return rep, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	rep.body, rep.bad = decode(rep.raw)
	return rep, nil
}

// unsentError is a fault before anything was sent.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// unsent reports whether the request certainly did not reach the service.
func unsent(err error) bool {
	var op *net.OpError
	var u unsentError
	return errors.As(err, &u) || errors.As(err, &op) && op.Op == "dial"
}

// judge turns a response into a typed failure, nil if it meets the spec.
func (s *System) judge(step string, r request, rep *reply, err error, write bool) *Error {
	if err != nil {
		kind := KindNetwork
		var ne net.Error
		if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &ne) && ne.Timeout() {
			kind = KindTimeout
		}
		if write && !unsent(err) {
			kind = KindUnsure
		}
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // without the address: queries may contain data that must not appear in a log
		}
		return s.fault(step, kind, rep, err.Error(), err)
	}
	switch {
	case slices.Contains(r.Ignore, rep.status):
		rep.ignored = true
		return nil
	case len(r.OK) > 0 && !slices.Contains(r.OK, rep.status) || len(r.OK) == 0 && (rep.status < 200 || rep.status > 299):
		said := s.said(rep)
		if rep.status == http.StatusNotFound || rep.status == http.StatusMethodNotAllowed {
			said = fmt.Sprintf("%s %s: %s", r.Method, r.Path, said)
		}
		return s.fault(step, s.kindOf(rep, write), rep, said, nil)
	}
	needs := s.spec.OKWhen != nil || len(r.Save) > 0
	if rep.bad != nil && needs {
		kind := KindMalformed
		if write {
			kind = KindUnsure
		}
		return s.fault(step, kind, rep, "the answer is not what the spec says: "+rep.bad.Error(), rep.bad)
	}
	if c := s.spec.OKWhen; c != nil && !c.holds(rep.body) {
		return s.fault(step, KindRefused, rep, fmt.Sprintf("%s (%s inside a %d)", s.said(rep), cmp.Or(c.missing(rep.body), c.said(rep.body)), rep.status), nil)
	}
	return nil
}

func (s *System) kindOf(rep *reply, write bool) Kind {
	switch st := rep.status; {
	case st == http.StatusUnauthorized || st == http.StatusForbidden:
		return KindKey
	case st == http.StatusTooManyRequests:
		return KindRate
	case write && s.unstored(rep):
		return KindServer
	case write && (st >= 500 || st == http.StatusRequestTimeout):
		return KindUnsure
	case st >= 500 || st == http.StatusRequestTimeout:
		return KindServer
	}
	return KindRefused
}

// unstored reports whether the answer guarantees that nothing was stored.
func (s *System) unstored(rep *reply) bool {
	c := s.spec.Retry.IngestIf
	return slices.Contains(s.spec.Retry.IngestOn, rep.status) || c != nil && rep.bad == nil && c.holds(rep.body)
}

func (s *System) again(e *Error, rep *reply, err error, write bool) bool {
	switch {
	case err != nil:
		return !write || unsent(err)
	case write:
		return s.unstored(rep)
	}
	return rep != nil && slices.Contains(s.spec.Retry.On, rep.status) && e.Kind != KindKey
}

// pause returns the pause before the next try: the one that the service requests, or twice the last one.
func (s *System) pause(try int, rep *reply) time.Duration {
	if rep != nil {
		h := rep.header
		if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
			return time.Duration(ms * float64(time.Millisecond))
		}
		now, dated := http.ParseTime(h.Get("Date")) // the service's clock, not ours
		if v := h.Get("Retry-After"); v != "" {
			if sec, err := strconv.ParseFloat(v, 64); err == nil && sec >= 0 {
				return time.Duration(min(sec, 1e6) * float64(time.Second))
			}
			if at, err := http.ParseTime(v); err == nil && dated == nil {
				return max(0, at.Sub(now))
			}
		}
		if reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && rep.status == http.StatusTooManyRequests && dated == nil {
			if d := time.Unix(reset, 0).Sub(now); d > 0 {
				return d
			}
		}
	}
	return time.Duration(float64(min(maxPause, firstPause<<min(try, 10))) * (0.75 + s.o.Jitter()/2))
}

// said is the service's own word for a failure.
func (s *System) said(rep *reply) string {
	if rep.bad == nil {
		for _, p := range s.spec.Errors {
			if t := p.text(rep.body); t != "" {
				return clip(t)
			}
		}
	}
	if rep.status >= 300 && rep.status < 400 {
		return "redirects are not followed, to keep the key safe: correct base_url"
	}
	if t := strings.TrimSpace(string(rep.raw)); t != "" {
		return clip(t)
	}
	return strings.ToLower(http.StatusText(rep.status))
}

func clip(s string) string {
	return textnorm.Short(strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD"), 300)
}

// need returns a fault if v, a part of the answer called what, has nothing at the path that the spec names as member.
func (s *System) need(step, member string, p path, what string, v any, rep *reply) error {
	if m := p.missing(what, v); m != "" && !rep.ignored {
		return s.fault(step, KindMalformed, rep, member+": "+m, nil)
	}
	return nil
}

// items are the values of a list of the answer: none only if the answer itself has none.
func (s *System) items(step, member string, p path, rep *reply) ([]any, error) {
	return p.list(rep.body), s.need(step, member, p, "the answer", rep.body, rep)
}

// fault makes an error, every secret taken out of its words.
func (s *System) fault(step string, k Kind, rep *reply, message string, err error) *Error {
	e := &Error{System: s.spec.System, Step: step, Kind: k, Message: s.redact(message), Err: err}
	if rep != nil {
		e.Status = rep.status
		e.RequestID = s.redact(clip(rep.header.Get("X-Request-Id")))
	}
	return e
}

// malformed is the fault of an answer that is not JSON, nil if it is.
func (s *System) malformed(step string, rep *reply) error {
	if rep.bad == nil {
		return nil
	}
	return s.fault(step, KindMalformed, rep, "the answer is not what the spec says: "+rep.bad.Error(), rep.bad)
}

func (s *System) redact(m string) string {
	for _, secret := range s.secrets {
		m = strings.ReplaceAll(m, secret, "[secret]")
	}
	return m
}
