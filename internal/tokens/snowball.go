package tokens

import (
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Words are lower-case runs of letters and digits, and each Han character by itself:
// the plainest terms, without stems and stop words.
func Words(text string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(unicode.ToLower(r))
		default:
			flush()
		}
	}
	flush()
	return out
}

// Snowball are the terms of Terms with the Snowball stems of English instead of the
// light ones: more forms of a word meet, and more different words too.
func Snowball(text string) []string {
	var out []string
	for _, t := range Split(text) {
		if t.Han {
			out = append(out, Terms(t.Text)...)
			continue
		}
		if Stop(t.Text) {
			continue
		}
		out = append(out, SnowballStem(t.Text))
	}
	return out
}

// SnowballStem is the Snowball English stem of a lower-case word, of its base form
// where it is one of the irregular ones.
func SnowballStem(w string) string {
	if base, ok := forms()[w]; ok {
		w = base
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}

// forms are irregular forms and their base.
var forms = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, row := range strings.Split("go went gone|buy bought|eat ate eaten|take took taken|make made|write wrote written|see saw seen|get got gotten|give gave given|run ran|swim swam swum|teach taught|think thought|tell told|meet met|feel felt|find found|leave left|lose lost|sing sang sung|speak spoke spoken|win won|begin began begun|bring brought|choose chose chosen|draw drew drawn|drink drank drunk|drive drove driven|fly flew flown|grow grew grown|know knew known|sell sold|send sent|spend spent|child children|person people|man men|woman women|foot feet|tooth teeth|mouse mice|wife wives|life lives|leaf leaves|knife knives|wolf wolves|become became|build built|burn burnt|catch caught|come came|deal dealt|dig dug|dream dreamt|fall fell fallen|feed fed|fight fought|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|hang hung|hear heard|hide hid hidden|hold held|keep kept|lead led|learn learnt|lend lent|light lit|mean meant|pay paid|ride rode ridden|ring rang rung|rise rose risen|say said|seek sought|shake shook shaken|shine shone|shoot shot|show shown|sit sat|sleep slept|slide slid|stand stood|steal stole stolen|stick stuck|strike struck|sweep swept|swing swung|tear tore torn|throw threw thrown|understand understood|wake woke woken|wear wore worn|weave wove woven|favourite favorite favorites favourites|colour color colors colours|break broke broken|bite bit bitten|blow blew blown|hurt hurts|overcome overcame|good better best|bad worse worst", "|") {
		f := strings.Fields(row)
		for _, x := range f[1:] {
			m[x] = f[0]
		}
	}
	return m
})
