package timex

import "testing"

func TestFind(t *testing.T) {
	for _, c := range []struct {
		text string
		year int
		want string // lo..hi of the first expression; "" none
	}{
		{"7 May 2023", 0, "2023-05-07..2023-05-07"},
		{"On May 7th, 2023 she went", 0, "2023-05-07..2023-05-07"},
		{"the 7th of May, 2023", 0, "2023-05-07..2023-05-07"},
		{"10July, 2023", 0, "2023-07-10..2023-07-10"},
		{"2023-05-07", 0, "2023-05-07..2023-05-07"},
		{"2023/5/7", 0, "2023-05-07..2023-05-07"},
		{"5/7/2023", 0, "2023-05-07..2023-05-07"},
		{"25/7/2023", 0, "2023-07-25..2023-07-25"},
		{"2023-05-07T10:20:30Z", 0, "2023-05-07..2023-05-07"},
		{"July 2023", 0, "2023-07-01..2023-07-31"},
		{"Febuary 2022", 0, "2022-02-01..2022-02-28"},
		{"Septemeber 2022", 0, "2022-09-01..2022-09-30"},
		{"in 2022", 0, "2022-01-01..2022-12-31"},
		{"the 1990s", 0, "1990-01-01..1999-12-31"},
		{"summer of 2022", 0, "2022-06-01..2022-08-31"},
		{"early July 2023", 0, "2023-07-01..2023-07-10"},
		{"mid-July 2023", 0, "2023-07-10..2023-07-21"},
		{"late July 2023", 0, "2023-07-20..2023-07-31"},
		{"the first week of August 2023", 0, "2023-08-01..2023-08-07"},
		{"last week of August 2023", 0, "2023-08-25..2023-08-31"},
		{"first weekend of August 2023", 0, "2023-08-04..2023-08-06"},
		{"last Friday in July 2023", 0, "2023-07-28..2023-07-28"},
		{"the week before 15 July 2023", 0, "2023-07-02..2023-07-14"},
		{"The Friday before 15 July 2023", 0, "2023-07-14..2023-07-14"},
		{"the sunday before 25 May 2023", 0, "2023-05-21..2023-05-21"},
		{"the Monday after 15 July 2023", 0, "2023-07-17..2023-07-17"},
		{"two days before June 5, 2023", 0, "2023-06-03..2023-06-03"},
		{"the day after June 5, 2023", 0, "2023-06-06..2023-06-06"},
		{"three weeks before June 30, 2023", 0, "2023-06-06..2023-06-12"},
		{"the weekend before 17 July 2023", 0, "2023-07-14..2023-07-16"},
		{"the week of 15 July 2023", 0, "2023-07-09..2023-07-21"},
		{"a few days before 15 July 2023", 0, "2023-07-08..2023-07-14"},
		{"from 3 May to 5 June 2023", 0, "2023-05-03..2023-06-05"},
		{"between July 3 and July 9, 2023", 0, "2023-07-03..2023-07-09"},
		{"5-7 November 2023", 0, "2023-11-05..2023-11-07"},
		{"on 5 November", 2021, "2021-11-05..2021-11-05"},
		{"Friday, 15 July 2022", 0, "2022-07-15..2022-07-15"},
		{"the second of September 2024", 0, "2024-09-02..2024-09-02"},
		{"the second week of September 2024", 0, "2024-09-08..2024-09-14"},
		{"23.06.2025", 0, "2025-06-23..2025-06-23"},
		{"Christmas 2022", 0, "2022-12-25..2022-12-25"},
		{"Q3 2023", 0, "2023-07-01..2023-09-30"},
		{"2023年5月7日", 0, "2023-05-07..2023-05-07"},
		{"二〇二三年五月七日", 0, "2023-05-07..2023-05-07"},
		{"她5月7号去的", 2023, "2023-05-07..2023-05-07"},
		{"2023年5月上旬", 0, "2023-05-01..2023-05-10"},
		{"2023年夏天", 0, "2023-06-01..2023-08-31"},
		{"2023年", 0, "2023-01-01..2023-12-31"},
		{"2023年7月15日前一周", 0, "2023-07-02..2023-07-14"},
		{"2023年7月15日之前的周五", 0, "2023-07-14..2023-07-14"},
		{"2023年7月3日到7月9日", 0, "2023-07-03..2023-07-09"},
		{"2023年8月第一周", 0, "2023-08-01..2023-08-07"},
		{"十月三十一日", 2020, "2020-10-31..2020-10-31"},
		{"you may go first", 0, ""},
		{"the march to the sea", 0, ""},
		{"she has 3 dogs", 0, ""},
		{"in the fall she fell", 0, "2000-09-01..2000-11-30"},
	} {
		got := ""
		for _, e := range Find(c.text, c.year) {
			if e.Kind == Absolute {
				got = e.Lo.String() + ".." + e.Hi.String()
				break
			}
		}
		if got != c.want {
			t.Errorf("Find(%q) = %s, want %s", c.text, got, c.want)
		}
	}
}

func TestDeictic(t *testing.T) {
	ref := Date(2023, 7, 15) // a Saturday
	for text, want := range map[string]string{
		"yesterday": "2023-07-14..2023-07-14", "last Friday": "2023-07-14..2023-07-14", "two days ago": "2023-07-13..2023-07-13", "next month": "2023-08-01..2023-08-31",
		"last year": "2022-01-01..2022-12-31", "last week": "2023-07-03..2023-07-09", "this weekend": "2023-07-15..2023-07-16", "last summer": "2022-06-01..2022-08-31", "three years ago": "2020-01-01..2020-12-31",
		"昨天": "2023-07-14..2023-07-14", "上周五": "2023-07-14..2023-07-14", "三天前": "2023-07-12..2023-07-12", "去年": "2022-01-01..2022-12-31", "下个月": "2023-08-01..2023-08-31",
	} {
		es := Find(text, 0)
		if len(es) != 1 || es[0].Kind != Deictic {
			t.Errorf("Find(%q) = %+v, want one deictic", text, es)
			continue
		}
		e := es[0].At(ref)
		if got := e.Lo.String() + ".." + e.Hi.String(); got != want {
			t.Errorf("%q said on %s = %s, want %s", text, ref, got, want)
		}
	}
}

func TestLengthsAndClocks(t *testing.T) {
	for text, want := range map[string]float64{"three weeks": 21, "1.5 years": 547.875, "two and a half days": 2.5, "a month": 30.4375, "half an hour": .5 / 24, "twenty-five days": 25, "三个月": 91.3125, "两年半": 913.125, "半小时": .5 / 24, "十五天": 15} {
		es := Find(text, 0)
		if len(es) != 1 || es[0].Kind != Duration || es[0].MinDays-want > 1e-6 || want-es[0].MinDays > 1e-6 {
			t.Errorf("Find(%q) = %+v, want %v days", text, es, want)
		}
	}
	for text, want := range map[string]int{"5 pm": 1020, "10:30": 630, "10:30 p.m.": 1350, "12 am": 0, "下午3点半": 930, "15点20分": 920, "noon": 720} {
		es := Find(text, 0)
		if len(es) != 1 || es[0].Kind != Clock || es[0].Minute != want {
			t.Errorf("Find(%q) = %+v, want minute %d", text, es, want)
		}
	}
}

// Every day, written in every plain form, is found as itself.
func TestForms(t *testing.T) {
	names := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	for d := Date(2019, 12, 1); d < Date(2024, 3, 5); d++ {
		y, m, day := d.Civil()
		for _, text := range []string{d.String(), itoa(day) + " " + names[m-1] + " " + itoa(y), names[m-1] + " " + itoa(day) + ", " + itoa(y), itoa(m) + "/" + itoa(day) + "/" + itoa(y), itoa(y) + "年" + itoa(m) + "月" + itoa(day) + "日"} {
			es := Find("it was on "+text+".", 0)
			if len(es) != 1 || es[0].Lo != d || es[0].Hi != d || es[0].Yearless {
				t.Fatalf("%q = %+v, want %s", text, es, d)
			}
		}
	}
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + itoa(n%10)
	}
	return string(rune('0' + n))
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"the week before 15 July 2023", "2023年7月15日前一周", "5-7 Nov", "10:30 p.m.", "一百二十天", "last Friday in July", "'23", "1/2/03 to"} {
		f.Add(s, 2023)
	}
	f.Fuzz(func(t *testing.T, s string, year int) {
		if year < 0 || year > 3000 {
			year = 0
		}
		last := 0
		for _, e := range Find(s, year) {
			if e.Pos < last || e.End <= e.Pos || e.End > len(s) {
				t.Fatalf("%q: expression at %d..%d after %d", s, e.Pos, e.End, last)
			}
			last = e.End
			if e.Kind == Absolute && e.Lo > e.Hi {
				t.Fatalf("%q: %s..%s", s, e.Lo, e.Hi)
			}
		}
	})
}
