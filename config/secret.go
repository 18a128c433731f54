package config

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// keyLike matches the beginnings of keys that services issue; names of models and parts of addresses do not begin this way. A long mixture of letters and
// digits is not the name of a variable.
var (
	keyLike = regexp.MustCompile(`(^|[^A-Za-z0-9])(sk-|sk_|gsk_|ghp_|github_pat_|xox[abp]-|AKIA|AIza|m0sk_|Bearer )[A-Za-z0-9_-]{8,}`)
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	mixture = regexp.MustCompile(`^[A-Za-z0-9_]{24,}$`)
)

func looksLikeKey(s string) bool { return keyLike.MatchString(s) }

// isVariable reports whether s can be the name of an environment variable, as opposed to its value.
func isVariable(s string) bool {
	mixed := mixture.MatchString(s) && strings.ContainsAny(s, "0123456789") && strings.ToUpper(s) != s
	return envName.MatchString(s) && !looksLikeKey(s) && !mixed
}

// secretMember matches query parameters that hold a key.
var secretMember = regexp.MustCompile(`(?i)key|token|secret|pass|auth|sig|code`)

// CheckAddress rejects an address that contains a key: as user or password, as a query parameter, or as a part of its path. The error names the place and never
// the value.
func CheckAddress(name, address string) error {
	bad := func(what string) error {
		return fmt.Errorf("%s: the address holds %s: give a key in the environment, and name its variable", name, what)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil: // the error would quote it
		return fmt.Errorf("%s: want an address such as http://127.0.0.1:8000/v1", name)
	case u.User != nil, strings.Contains(address, "@") && strings.Contains(address, "://"):
		return bad("a user or password")
	}
	for member := range u.Query() {
		if secretMember.MatchString(member) {
			return bad("a key in its query")
		}
	}
	if looksLikeKey(u.RawQuery) || looksLikeKey(u.Fragment) {
		return bad("what looks like a key")
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if looksLikeKey(part) {
			return bad("what looks like a key")
		}
	}
	return nil
}

// checkSecrets rejects keys in the place of a name or an address.
func (m Model) checkSecrets(at string) error {
	switch {
	case m.KeyEnv != "" && !isVariable(m.KeyEnv):
		return fmt.Errorf("%s.key_env: want the name of the variable that holds the key, such as OPENAI_API_KEY; the value looks like the key itself", at)
	case looksLikeKey(m.Name):
		return fmt.Errorf("%s.name: want the name of a model; the value looks like a key", at)
	case m.BaseURL == "":
		return nil
	}
	return CheckAddress(at+".base_url", m.BaseURL)
}

// checkSecrets checks the model of every role.
func (m Models) checkSecrets() error {
	for _, r := range Roles() {
		if err := m.of(r).checkSecrets("models." + string(r)); err != nil {
			return err
		}
	}
	return nil
}
