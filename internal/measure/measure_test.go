package measure

import "testing"

// TestAt reads one quantity in several forms.
func TestAt(t *testing.T) {
	for _, c := range []struct {
		text string
		want Value
		rest string
	}{
		{"1,500 m long", Value{Kind: "length", Lo: 1500, Hi: 1500}, " long"},
		{"1.5 km", Value{Kind: "length", Lo: 1500, Hi: 1500}, ""},
		{"十二公里。", Value{Kind: "length", Lo: 12000, Hi: 12000}, "。"},
		{"twenty-five dogs", Value{Kind: "count", Lo: 25, Hi: 25, Of: "dog"}, " dogs"},
		{"€240", Value{Kind: "eur", Lo: 240, Hi: 240}, ""},
		{"3.5万元", Value{Kind: "cny", Lo: 35000, Hi: 35000}, ""},
		{"10-20 %", Value{Kind: "percent", Lo: 10, Hi: 20}, ""},
		{"three quarters of an hour", Value{Kind: "time", Lo: 2700, Hi: 2700}, ""},
		{"a quarter of a year", Value{Kind: "time", Lo: 86400 * 365.25 / 4, Hi: 86400 * 365.25 / 4}, ""},
		{"a quarter of the cake", Value{}, "a quarter of the cake"},
		{"三刻钟", Value{Kind: "time", Lo: 2700, Hi: 2700}, ""},
		{"two dozen eggs", Value{Kind: "count", Lo: 24, Hi: 24, Of: "egg"}, " eggs"},
		{"a dozen eggs", Value{Kind: "count", Lo: 12, Hi: 12, Of: "egg"}, " eggs"},
		{"half a dozen eggs", Value{Kind: "count", Lo: 6, Hi: 6, Of: "egg"}, " eggs"},
		{"3千元", Value{Kind: "cny", Lo: 3000, Hi: 3000}, ""},
		{"6000毫升", Value{Kind: "volume", Lo: 6, Hi: 6}, ""},
		{"2Gi", Value{Kind: "bytes", Lo: 2 << 30, Hi: 2 << 30}, ""},
		{"minus five degrees Celsius.", Value{Kind: "temperature", Lo: -5, Hi: -5}, "."},
		{"零下5度", Value{Kind: "temperature", Lo: -5, Hi: -5}, ""},
		{"10 degrees below zero", Value{Kind: "temperature", Lo: -10, Hi: -10}, ""},
		{"negative feedback", Value{}, "negative feedback"},
		{"dogs", Value{}, "dogs"},
		{"USD ", Value{}, "USD "},
		{"USD 50", Value{Kind: "usd", Lo: 50, Hi: 50}, ""},
		{"HK$", Value{}, "HK$"},
	} {
		v, end := At(c.text, 0)
		if v.Kind != c.want.Kind || v.Lo != c.want.Lo || v.Hi != c.want.Hi || v.Of != c.want.Of || c.text[end:] != c.rest {
			t.Errorf("%q: have %+v, rest %q", c.text, v, c.text[end:])
		}
	}
}

// TestTable reads every row: a factor that is no number would make a unit of 0.
func TestTable(t *testing.T) {
	for name, u := range Units {
		if !(u.Mul > 0) || u.Kind == "" {
			t.Errorf("%s: %+v", name, u)
		}
	}
	if len(Units) < 500 || !Currency("jpy") || Currency("mass") {
		t.Errorf("%d units", len(Units))
	}
}
