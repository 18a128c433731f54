package target

import (
	"net/url"
	"strings"
)

// BrowserBeside is where a server at a Bolt address usually serves Browser.
func BrowserBeside(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Hostname() == "" {
		return "http://localhost:7474/browser/"
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if strings.HasSuffix(u.Scheme, "+s") || strings.HasSuffix(u.Scheme, "+ssc") {
		return "https://" + host + ":7473/browser/"
	}
	return "http://" + host + ":7474/browser/"
}
