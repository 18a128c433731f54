package clause

import "testing"

func TestNote(t *testing.T) {
	for text, want := range map[string]string{
		"Likes tea":                         "I like tea",
		"Is a nurse. Has two cats.":         "I am a nurse. I have two cats.",
		"Currently lives in Bari":           "I currently live in Bari",
		"Doesn't eat meat":                  "I don't eat meat",
		"No longer works at Delta":          "I no longer work at Delta",
		"Plans to move to Rome":             "I plan to move to Rome",
		"Name is Jo":                        "My name is Jo",
		"User's sister lives in Bari":       "My sister lives in Bari",
		"The user went to Bari last week":   "I went to Bari last week",
		"Ana likes tea":                     "Ana likes tea",
		"Sister lives in Bari":              "Sister lives in Bari",
		"Went home early":                   "Went home early",
		"Allergic to nuts":                  "Allergic to nuts",
		"":                                  "",
		"用户不吃香菜":                            "我不吃香菜",
		"喜欢喝茶":                              "我喜欢喝茶",
		"对花生过敏":                             "我对花生过敏",
		"名字是李雷":                             "我叫李雷",
		"该用户的妹妹在上海工作":                       "我的妹妹在上海工作",
		"小红喜欢喝茶":                            "小红喜欢喝茶",
		"I like tea":                        "I like tea",
		"Tea is what the user drinks daily": "Tea is what the user drinks daily",
	} {
		if have := Note(text); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func FuzzNote(f *testing.F) {
	f.Add("User's — likes 喜欢. the user")
	f.Fuzz(func(t *testing.T, s string) { Note(s) })
}
