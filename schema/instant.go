package schema

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"
	"time"
)

// An Instant is a point in time, to the microsecond: microseconds since the last day before the year 0, UTC.
// The zero Instant is unknown and sorts before every other, so that it is never the newest.
type Instant int64

// epoch is Instant 0 in microseconds since 1970. A day before the year 0, no zone takes a readable instant below 1.
const epoch = (-719528 - 1) * 86400 * 1_000_000

// ParseInstant parses RFC 3339 or a prefix of it: 2026, 2026-03, 2026-03-05, 2026-03-05T08:00, with seconds, with a fraction (after '.' or ','; digits below a
// microsecond are dropped), with 'T' or a blank between date and time, with Z or ±hh:mm. A missing part has its first value: a date is the start of that day.
// The default offset is UTC. ok is false for anything else, including impossible dates (2026-02-30).
func ParseInstant[T string | []byte](s T) (Instant, bool) {
	p, ok := scanInstant(s)
	if !ok {
		return 0, false
	}
	t := p.in(time.UTC)
	return Instant((t.Unix()-int64(p.offset))*1_000_000 + int64(p.micro) - epoch), true
}

// ParseTime is ParseInstant with the offset kept: without one, the text is in zone (nil: UTC), the zone of its source.
func ParseTime(s string, zone *time.Location) (time.Time, bool) {
	p, ok := scanInstant(s)
	switch {
	case !ok:
		return time.Time{}, false
	case p.zoned && p.offset == 0:
		zone = time.UTC
	case p.zoned:
		zone = time.FixedZone("", p.offset)
	case zone == nil:
		zone = time.UTC
	}
	return p.in(zone), true
}

// ParseEpoch parses a positive number of seconds, milliseconds or microseconds since 1970, distinguished by size.
func ParseEpoch(s string) (time.Time, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0 && f < 1e17) {
		return time.Time{}, false
	}
	unit := time.Second
	switch {
	case f >= 1e14:
		unit = time.Microsecond
	case f >= 1e11:
		unit = time.Millisecond
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		per := int64(time.Second / unit)
		return time.Unix(n/per, n%per*int64(unit)).UTC(), true
	}
	sec, frac := math.Modf(f * unit.Seconds())
	return time.Unix(int64(sec), int64(math.Round(frac*1e6))*1000).UTC(), true
}

// InstantOf is the instant of t; of the zero time it is unknown.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMicro() - epoch)
}

// CompareUnknownLast orders instants with the unknown one after every other, so that it is never the earliest.
func (t Instant) CompareUnknownLast(u Instant) int {
	return cmp.Compare(uint64(t)-1, uint64(u)-1)
}

// AppendKey appends 8 bytes that sort as the instants do.
func (t Instant) AppendKey(dst []byte) []byte { return binary.BigEndian.AppendUint64(dst, uint64(t)) }

// Time is t as a time in UTC; of the unknown one it is the zero time.
func (t Instant) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(t) + epoch).UTC()
}

// String is RFC 3339 in UTC; of the unknown one it is empty.
func (t Instant) String() string {
	if t == 0 {
		return ""
	}
	return t.Time().Format(time.RFC3339Nano)
}

// instantParts are the numbers of an instant as written.
type instantParts struct {
	year, month, day, hour, minute, second, micro int
	offset                                        int // seconds east of UTC
	zoned                                         bool
}

func (p *instantParts) in(zone *time.Location) time.Time {
	return time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.second, p.micro*1000, zone)
}

// scanInstant reads the parts of s from left to right; missing parts keep their first value.
func scanInstant[T string | []byte](s T) (p instantParts, ok bool) {
	p.month, p.day = 1, 1
	p.year = digits(s, 0, 4)
	if len(s) > 4 {
		p.month = digits(s, 5, 2)
	}
	if len(s) > 7 {
		p.day = digits(s, 8, 2)
	}
	if p.year < 0 || p.month < 1 || p.month > 12 || p.day < 1 || p.day > daysIn(p.year, p.month) || len(s) > 4 && s[4] != '-' || len(s) > 7 && s[7] != '-' {
		return p, false
	}
	if len(s) <= 10 {
		return p, true
	}
	p.hour, p.minute = digits(s, 11, 2), digits(s, 14, 2)
	if s[10]|0x20 != 't' && s[10] != ' ' || p.hour < 0 || p.hour > 23 || p.minute < 0 || p.minute > 59 || s[13] != ':' {
		return p, false
	}
	i := 16
	if i < len(s) && s[i] == ':' {
		if p.second = digits(s, 17, 2); p.second < 0 || p.second > 60 { // 60: a leap second is the second after it
			return p, false
		}
		i = 19
	}
	if i < len(s) && (s[i] == '.' || s[i] == ',') {
		start, unit := i+1, 100_000
		for i++; i < len(s) && s[i]-'0' <= 9; i++ {
			p.micro += int(s[i]-'0') * unit
			unit /= 10
		}
		if i == start {
			return p, false
		}
	}
	return p, zone(&p, s[i:])
}

// zone reads an offset: none, Z or ±hh:mm.
func zone[T string | []byte](p *instantParts, s T) bool {
	switch {
	case len(s) == 0:
		return true
	case len(s) == 1 && s[0]|0x20 == 'z':
		p.zoned = true
		return true
	case len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':':
		return false
	}
	h, m := digits(s, 1, 2), digits(s, 4, 2)
	p.zoned, p.offset = true, h*3600+m*60
	if s[0] == '-' {
		p.offset = -p.offset
	}
	return h >= 0 && h <= 23 && m >= 0 && m <= 59
}

// digits is the number of the n digits at i, or -1.
func digits[T string | []byte](s T, i, n int) (v int) {
	if i+n > len(s) {
		return -1
	}
	for ; n > 0; n-- {
		c := s[i] - '0'
		if c > 9 {
			return -1
		}
		v = v*10 + int(c)
		i++
	}
	return v
}

func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4, month == 6, month == 9, month == 11:
		return 30
	}
	return 31
}

// ParsePeriod is the time that s names, from its start up to and without end: a year, a month, a day, a minute or a second.
// It is false where ParseInstant is.
func ParsePeriod(s string) (start, end time.Time, ok bool) {
	start, ok = ParseTime(s, nil)
	switch {
	case !ok:
		return start, end, false
	case len(s) == len("2006"):
		end = start.AddDate(1, 0, 0)
	case len(s) == len("2006-01"):
		end = start.AddDate(0, 1, 0)
	case len(s) == len("2006-01-02"):
		end = start.AddDate(0, 0, 1)
	case len(s) == len("2006-01-02T15:04"):
		end = start.Add(time.Minute)
	default:
		end = start.Add(time.Second)
	}
	return start, end, true
}
