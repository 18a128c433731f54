package judge

import (
	"net/netip"
	"strings"
	"time"

	"membench/internal/measure"
	"membench/internal/tokens"
)

// nameAt reads a name that is compared whole, never by likeness, at the start of a
// word: an address, a prefix, a port, a VLAN, AS or ticket number, an interface, a
// version, an identifier of letters and digits. An address with a port is two values.
func nameAt(s string, i int) (out []value, end int) {
	j := i
	digits, letters := false, false
	for j < len(s) && nameByte(s[j]) {
		digits = digits || digit(s[j])
		letters = letters || asciiLetter(s[j])
		j++
	}
	for j > i && strings.IndexByte(".:-/#_", s[j-1]) >= 0 {
		j--
	}
	if k := strings.IndexByte(s[i:j], ':'); k > 0 && label(s[i:i+k]) { // "IP:10.0.0.1": the name is behind it
		j, digits = i+k, false
	}
	c := s[i:j]
	low := strings.ToLower(c)
	if !digits {
		return followed(s, i, j, c, low)
	}
	put := func(kind, name string) { out = append(out, value{kind: kind, name: name, pos: i, end: j}) }
	switch mac, ok := macOf(low); {
	case ok:
		put("mac", mac)
	case strings.Count(c, ":") >= 2 && !strings.Contains(c, ".") || strings.Count(c, ".") == 3:
		host, port := c, ""
		if k := strings.LastIndexByte(c, ':'); k > 0 && strings.Count(c, ".") == 3 {
			host, port = c[:k], c[k+1:]
		}
		if p, err := netip.ParsePrefix(host); err == nil {
			put("prefix", p.String())
		} else if a, err := netip.ParseAddr(host); err == nil {
			put("ip", a.String())
		} else {
			break
		}
		if port != "" {
			put("port", port)
		}
	}
	if out != nil {
		return out, j
	}
	if v, ok := versionOf(low); ok && (strings.Count(v, ".") >= 2 || low[0] == 'v') {
		put("version", v)
		return out, j
	}
	if n, ok := interfaceOf(low); ok {
		put("interface", n)
		return out, j
	}
	for _, p := range []struct{ head, kind string }{{"vlan", "vlan"}, {"asn", "as"}, {"as", "as"}, {"tcp/", "port"}, {"udp/", "port"}, {"#", "ticket"}} {
		if rest := strings.TrimLeft(strings.TrimPrefix(low, p.head), "-_"); strings.HasPrefix(low, p.head) && number(rest) {
			put(p.kind, strings.TrimLeft(rest, "0"))
			return out, j
		}
	}
	if rest, ok := strings.CutSuffix(strings.TrimSuffix(low, "/udp"), "/tcp"); number(rest) && (ok || strings.HasSuffix(low, "/udp")) {
		put("port", rest)
		return out, j
	}
	if letters && identifier(low) {
		put("id", idForm(low))
		return out, j
	}
	return nil, i
}

// label reports whether a word before a colon labels the following text instead of being a group of an address: it consists of letters, one of which is not a
// hexadecimal digit.
func label(w string) bool {
	hex := true
	for i := range len(w) {
		if !asciiLetter(w[i]) {
			return false
		}
		hex = hex && w[i]|0x20 <= 'f'
	}
	return !hex
}

// insideName reports whether the bytes of a date are part of a name: 10.1.3.17 is an address.
func insideName(s string, pos, end int) bool {
	if pos >= len(s) || !nameByte(s[pos]) {
		return false
	}
	for pos > 0 && nameByte(s[pos-1]) {
		pos--
	}
	for pos < end && !letterOrDigit(s[pos]) {
		pos++
	}
	out, e := nameAt(s, pos)
	return len(out) > 0 && e >= end
}

func nameByte(c byte) bool {
	return digit(c) || asciiLetter(c) || c == '.' || c == ':' || c == '/' || c == '-' || c == '_' || c == '#'
}

func number(s string) bool {
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) {
			return false
		}
	}
	return s != ""
}

// followed reads a word whose number comes behind a blank: "VLAN 20", "port 443", "AS 65001",
// "version 2.19.2", "GigabitEthernet 0/0/1".
func followed(s string, i, j int, c, low string) ([]value, int) {
	k := j
	for k < len(s) && (s[k] == ' ' || s[k] == '#' || s[k] == ':') && k < j+3 {
		k++
	}
	e := k
	for e < len(s) && nameByte(s[e]) {
		e++
	}
	for e > k && strings.IndexByte(".:-/_", s[e-1]) >= 0 {
		e--
	}
	rest := strings.ToLower(s[k:e])
	if rest == "" || k == j || !digit(rest[0]) && rest[0] != 'v' {
		return nil, i
	}
	kind := ""
	switch {
	case low == "vlan" && number(rest), low == "port" && number(rest):
		kind = low
	case (c == "AS" || low == "asn") && number(rest):
		kind = "as"
	case low == "ticket" && number(rest), low == "incident" && number(rest) && len(rest) > 3, low == "case" && number(rest) && len(rest) > 3:
		kind, rest = "ticket", strings.TrimLeft(rest, "0")
	case low == "version" || low == "ver" || low == "release" || low == "v":
		if v, ok := versionOf(rest); ok {
			kind, rest = "version", v
		}
	case interfaces[low] != "" && (strings.Contains(rest, "/") || number(rest) && len(low) > 3 && len(rest) < 4):
		kind, rest = "interface", interfaces[low]+rest
	}
	if kind == "" {
		return nil, i
	}
	return []value{{kind: kind, name: rest, pos: i, end: e}}, e
}

// digitsAt reads a row of digits that is no quantity, such as a telephone number, in one group or several: it begins with + or 0, a later group begins with 0,
// or it has more digits than a number is exact for.
func digitsAt(s string, i int, w *when) (value, int) {
	const least, most = 7, 15 // digits of a telephone number (E.164)
	j := i
	if s[j] == '+' {
		j++
	}
	from, groups, named := j, 1, s[i] == '+'
	var row []byte
	for k := j; k < len(s) && (k == j || dateAt(w, k) == 0); k++ {
		if digit(s[k]) {
			if k == from || k > j {
				groups += int(b2f(k > from))
				named = named || s[k] == '0' && k+1 < len(s) && digit(s[k+1])
			}
			row = append(row, s[k])
			j = k + 1
		} else if strings.IndexByte(" -/()", s[k]) < 0 || k-j >= 2 { // two marks at most between groups: ") "
			break
		}
	}
	long := groups == 1 && len(row) > exactDigits
	if !long && (!named || len(row) < least || len(row) > most) || j < len(s) && (letterOrDigit(s[j]) || strings.IndexByte(".:,", s[j]) >= 0 && j+1 < len(s) && digit(s[j+1])) {
		return value{}, i
	}
	name := string(row)
	if s[i] != '+' && strings.HasPrefix(name, "00") {
		name = name[len("00"):]
	}
	return value{kind: "digits", name: name, pos: i, end: j}, j
}

// sameDigits reports whether two rows of digits are equal, or one is the other with a country's code instead of the 0.
func sameDigits(a, b string) bool {
	if b[0] == '0' {
		a, b = b, a
	}
	code, ok := strings.CutSuffix(b, a[1:])
	return a == b || a[0] == '0' && b[0] != '0' && ok && len(code) <= 3
}

// macOf gives the twelve digits of a hardware address in any of its three forms.
func macOf(s string) (string, bool) {
	var hex []byte
	groups, n := 1, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
			hex = append(hex, c)
			n++
		case (c == ':' || c == '-') && n == 2, (c == '.' || c == '-') && n == 4:
			groups, n = groups+1, 0
		default:
			return "", false
		}
	}
	return string(hex), len(hex) == 12 && (groups == 6 || groups == 3)
}

// versionOf reads numbers between dots, with a v before and a suffix behind.
func versionOf(s string) (string, bool) {
	v := strings.TrimPrefix(s, "v")
	if v == "" || !digit(v[0]) || !strings.Contains(v, ".") {
		return "", false
	}
	n := 0
	for n < len(v) && (digit(v[n]) || v[n] == '.' && n+1 < len(v) && digit(v[n+1])) {
		n++
	}
	if rest := v[n:]; rest != "" && rest[0] != '-' && !asciiLetter(rest[0]) || strings.Contains(v, "/") || strings.Contains(v, ":") {
		return "", false
	}
	if v == s && dotted(v[:n]) {
		return "", false
	}
	return v, n > 0 && strings.Contains(v[:n], ".")
}

// dotted reports whether numbers between dots are a date: 2024.03.01, 19.01.2024.
func dotted(s string) bool {
	_, year := time.Parse("2006.1.2", s)
	_, day := time.Parse("2.1.2006", s)
	return year == nil || day == nil
}

// interfaceOf reads "Gi0/0/1", "eth0", "10GE1/0/2.30", "ge-0/0/1".
func interfaceOf(s string) (string, bool) {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	if n > 0 && !strings.HasPrefix(s[n:], "ge") {
		return "", false
	}
	for n < len(s) && (asciiLetter(s[n]) || s[n] == '-' && n > 0) {
		n++
	}
	head, rest := s[:n], s[n:]
	if head == "" || rest == "" || !digit(rest[0]) {
		return "", false
	}
	for i := 0; i < len(rest); i++ {
		if !digit(rest[i]) && strings.IndexByte("/.:", rest[i]) < 0 {
			return "", false
		}
	}
	name, known := interfaces[head]
	if !known {
		if !strings.Contains(rest, "/") {
			return "", false
		}
		name = head
	}
	return name + rest, true
}

// identifier reports a token that names by letters and digits together, which is
// neither a number with its unit nor a date.
func identifier(s string) bool {
	if digit(s[0]) {
		after := false // a digit behind a letter: "7f3a91", no "10july", "36ms", "5-year-old"
		for i := 1; i < len(s); i++ {
			after = after || digit(s[i]) && asciiLetter(s[i-1])
		}
		return after && len(s) >= 5 && !(len(s) >= 10 && s[4] == '-' && s[7] == '-') && !duration(s)
	}
	if s[0] == '#' {
		return len(s) > 1
	}
	n := 0
	for n < len(s) && asciiLetter(s[n]) {
		n++
	}
	return n > 0 && !notNames[s[:n]] && !strings.Contains(s, "://")
}

// notNames are words that are joined to a number without naming anything: "May-2023".
var notNames = tokens.Set("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec mid early late pre post circa summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday one two three four five six seven eight nine ten over under about")

// duration reports a chain like "1h30m".
func duration(s string) bool {
	for s != "" {
		i := 0
		for i < len(s) && (digit(s[i]) || s[i] == '.') {
			i++
		}
		j := i
		for j < len(s) && asciiLetter(s[j]) {
			j++
		}
		if u, ok := measure.Units[s[i:j]]; i == 0 || !ok || u.Kind != "time" && s[i:j] != "m" {
			return false
		}
		s = s[j:]
	}
	return true
}

// idForm splits an identifier where letters and digits meet, ignoring other characters: "INC-0012" and "inc0012" are equal, "sw-1-12" and "sw-11-2" differ.
func idForm(s string) string {
	var b strings.Builder
	last := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '-' || c == '_' || c == '#' {
			c = '-'
			if last == '-' || last == 0 || i+1 == len(s) {
				continue
			}
		} else if last != 0 && last != '-' && (digit(c) && asciiLetter(last) || asciiLetter(c) && digit(last)) {
			b.WriteByte('-')
		}
		b.WriteByte(c)
		last = c
	}
	return strings.TrimSuffix(b.String(), "-")
}
