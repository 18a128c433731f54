package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/internal/textnorm"
)

const (
	maxAnswer = 64 << 20 // bytes of one answer
	tries     = 5
	firstWait = time.Second
	maxWait   = time.Minute
)

// Error is an answer that is not a success.
type Error struct {
	Call   string // method and path, without query
	Status int
	Code   string // of a 502: provider_rate_limited, …
	Detail string
	After  time.Duration // pause from Retry-After
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: status %d", e.Call, e.Status)
	if e.Code != "" {
		s += " " + e.Code
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	switch e.Status {
	case http.StatusUnauthorized:
		s += " (set MEM0_API_KEY to a key of this server)"
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		s += " (a redirect, which a key does not follow: give the final address)"
	case http.StatusForbidden:
		s += " (the key may not do this: use an admin's)"
	}
	return s
}

// busy says that the server refused before it did anything: the call may be sent again.
func (e *Error) busy() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable ||
		e.Status == http.StatusBadGateway && (e.Code == "provider_rate_limited" || e.Code == "provider_unavailable")
}

// UnsureError is a write whose result is unknown: the connection broke, or the server failed during it.
type UnsureError struct{ Err error }

func (e *UnsureError) Error() string { return e.Err.Error() + " (it is not known what was stored)" }
func (e *UnsureError) Unwrap() error { return e.Err }

type client struct {
	base  string
	auth  [2]string // header and value
	http  *http.Client
	sleep func(context.Context, time.Duration) error
	tries int
}

// call sends one request and reads its JSON answer into out. Busy servers are asked
// again, reads also after broken connections and 5xx; writes then are *UnsureError.
func (c *client) call(ctx context.Context, method, path string, query url.Values, body, out any) error {
	wait := firstWait
	for n := 1; ; n++ {
		err := c.once(ctx, method, path, query, body, out)
		if err == nil || ctx.Err() != nil {
			return err
		}
		var e *Error
		answered := errors.As(err, &e)
		read := method == http.MethodGet || strings.Contains(path, "search")
		switch {
		case answered && e.busy():
		case !answered || e.Status >= 500 && !(e.Status == http.StatusBadGateway && e.Code != ""):
			if !read {
				return &UnsureError{err}
			}
		default:
			return err
		}
		if n == c.tries {
			return err
		}
		pause := wait
		if answered {
			pause = max(pause, e.After)
		}
		if err := c.sleep(ctx, pause); err != nil {
			return err
		}
		wait = min(2*wait, maxWait)
	}
}

func (c *client) once(ctx context.Context, method, path string, query url.Values, body, out any) error {
	name := method + " " + path
	var r io.Reader
	if body != nil {
		b, err := codec.Append(nil, body, codec.Compact)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r = bytes.NewReader(b)
	}
	u := c.base + path
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u, r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.auth[1] != "" {
		req.Header.Set(c.auth[0], c.auth[1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // without the URL, which names users
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("%s: reading the answer: %w", name, err)
	}
	if len(raw) > maxAnswer {
		return fmt.Errorf("%s: an answer over %d bytes", name, maxAnswer)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		e := &Error{Call: name, Status: resp.StatusCode}
		e.read(raw)
		if s, err := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64); err == nil && s > 0 {
			e.After = min(time.Duration(s*float64(time.Second)), maxWait)
		}
		return e
	}
	if out == nil {
		return nil
	}
	if err := codec.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%s: status %d with an answer that does not come from the service: %w", name, resp.StatusCode, err)
	}
	return nil
}

// read takes what an error's body says: FastAPI's detail (text or list), the
// platform's error and details.message, else the text itself.
func (e *Error) read(raw []byte) {
	var b struct {
		Detail  any    `json:"detail"`
		Code    string `json:"code"`
		Error   string `json:"error"`
		Details struct {
			Message string `json:"message"`
		} `json:"details"`
	}
	if err := codec.Unmarshal(raw, &b); err != nil {
		e.Detail = clip(strings.TrimSpace(string(raw)))
		return
	}
	e.Code, e.Detail = b.Code, b.Error
	if b.Details.Message != "" {
		e.Detail = b.Details.Message
	}
	switch d := b.Detail.(type) {
	case nil:
	case string:
		e.Detail = d
	default:
		if s, err := codec.Append(nil, d, codec.Compact); err == nil {
			e.Detail = string(s)
		}
	}
	e.Detail = clip(e.Detail)
}

func clip(s string) string { return textnorm.Short(s, 300) }
