package chats

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"membench/schema"
)

// TestVendors: what the programs write beside plain messages (branches, tools, notices,
// cards, forwarded messages, marks of the phone) is kept, or counted by kind. Each message
// is "name or role: text", then what it quotes behind " < " and what it carries in brackets.
func TestVendors(t *testing.T) {
	const lrm, nnbsp = "\u200e", "\u202f"
	for _, c := range []struct {
		name, file, text string
		o                Options
		want             []string
		left             string // kinds, in order of their names
	}{
		{name: "chatgpt", file: "conversations.json", text: `[{"title":"T","current_node":"d","conversation_id":"c1","id":"c1","mapping":{"r":{"message":null,"parent":null},
			"a":{"parent":"r","message":{"author":{"role":"user"},"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://f1"},"Look"]},"metadata":{"attachments":[{"id":"f1","name":"cat.jpg"}]}}},
			"x":{"parent":"a","message":{"author":{"role":"assistant"},"content":{"parts":["not kept"]}}},
			"b":{"parent":"a","message":{"author":{"role":"assistant"},"content":{"content_type":"thoughts","thoughts":[]}}},
			"t":{"parent":"b","message":{"author":{"role":"assistant"},"recipient":"python","content":{"content_type":"code","text":"12*12"}}},
			"c":{"parent":"t","message":{"author":{"role":"tool","name":"python"},"content":{"content_type":"execution_output","text":"144"}}},
			"d":{"parent":"c","message":{"author":{"role":"user"},"content":{"parts":["\ue200cite\ue202turn0search1\ue201",{"content_type":"audio_transcription","text":"Spoken"},{"content_type":"real_time_user_audio_video_asset_pointer","audio_asset_pointer":{"asset_pointer":"f2"}}]}}}}}]`,
			want: []string{"user: Look [image cat.jpg]", "python: 144", "user: Spoken [audio f2]"}, left: "calls of tools, messages of branches that were not continued, reasoning"},
		{name: "claude", file: "conversations.json", text: `[{"uuid":"c","name":"T","chat_messages":[
			{"uuid":"1","sender":"human","text":"Q","parent_message_uuid":"` + claudeRoot + `","attachments":[{"file_name":"cv.txt","extracted_content":"Jane"}]},
			{"uuid":"2","sender":"human","text":"old wording","parent_message_uuid":"1"},
			{"uuid":"3","sender":"assistant","text":"","parent_message_uuid":"1","content":[{"type":"voice_note","title":"Note","text":"A"},{"type":"tool_use"},{"type":"text","text":"B"}]}]}]`,
			want: []string{"user: Q [file cv.txt Jane]", "assistant: A\nB"}, left: "messages of branches that were not continued, parts of type tool_use"},
		{name: "gemini page", file: "MyActivity.html", text: `<html><body>Gemini Apps<div class="outer-cell mdl-cell"><div class="content-cell mdl-typography--body-1">Prompted&nbsp;I have a cat<br>named Miso<br>Attached 1 file.<br>-&nbsp; cat.png<br>Mar 3, 2025, 1:00:00` + nnbsp +
			`PM UTC<br><p>Lovely!</p></div><div class="content-cell x"></div></div><div class="outer-cell"><div class="content-cell mdl-typography--body-1">Used a feature<br>2025年3月4日 10:00:00 GMT+08:00<br></div><div class="content-cell"></div></div></body></html>`,
			want: []string{"user: I have a cat\nnamed Miso @2025-03-03T13:00:00Z [image cat.png]", "assistant: Lovely! @2025-03-03T13:00:00Z"}, left: "activities that are not prompts"},
		{name: "iphone", file: "_chat.txt", text: "[12/30/24, 11:58:01" + nnbsp + "PM] Family: " + lrm + "Messages and calls are end-to-end encrypted. Only people in this chat can read them.\r\n" +
			"[12/30/24, 11:59:59" + nnbsp + "PM] Ana: First\r\n[sic] second: line\r\n" + lrm + "[12/31/24, 12:00:07" + nnbsp + "AM] Ana: " + lrm + "image omitted\r\n" +
			lrm + "[12/31/24, 12:01:07" + nnbsp + "AM] ~" + nnbsp + "Bob: See this " + lrm + "<attached: 0001-PHOTO.jpg>\r\n" + "[12/31/24, 12:02:00" + nnbsp + "PM] Bob: ok " + lrm + "<This message was edited>\r\n" +
			"[12/31/24, 1:02:00" + nnbsp + "PM] You: " + lrm + "You deleted this message.\r\n" + lrm + "[1/3/25, 9:03:00" + nnbsp + "AM] Ana: plan.pdf • " + lrm + "3 pages " + lrm + "document omitted\r\n" +
			"[1/3/25, 9:04:00" + nnbsp + "AM] Ana: " + lrm + "POLL:\r\n" + lrm + "Where?\r\n" + lrm + "OPTION: Sushi (1 vote)\r\n",
			want: []string{"Ana: First\n[sic] second: line @2024-12-30T23:59:59Z", "Ana:  @2024-12-31T00:00:07Z [file image omitted]", "Bob: See this @2024-12-31T00:01:07Z [image 0001-PHOTO.jpg]", "Bob: ok @2024-12-31T12:02:00Z",
				"Ana:  @2025-01-03T09:03:00Z [file plan.pdf]", "Ana: POLL:\nWhere?\nOPTION: Sushi (1 vote) @2025-01-03T09:04:00Z"}, left: "deleted messages, " + notices},
		{name: "android", file: "WhatsApp Chat with Bob.txt", text: "30/12/2024, 23:58 - Bob changed the subject from \"A: b\" to \"C: d\"\n30/12/2024, 23:59 - Ana: <Media omitted>\n31/12/2024, 00:02 - Ana: null\n31/12/2024, 00:04 - Bob: I sold my car <This message was edited>\n",
			want: []string{"Ana:  @2024-12-30T23:59:00Z [file Media omitted]", "Bob: I sold my car @2024-12-31T00:04:00Z"}, left: "deleted messages, " + notices},
		{name: "chinese phone", file: "_chat.txt", text: "[2024/12/31 下午9:05:03] 小明: " + lrm + "信息和通话已进行端到端加密。\n[2025/1/1 中午12:10:09] 王芳: 新年快乐\n" + lrm + "[2025/1/1 晚上7:05:09] 王芳: " + lrm + "图片已忽略\n[2025/1/2 清晨5:05:09] 小明: 早\n",
			want: []string{"王芳: 新年快乐 @2025-01-01T12:10:09Z", "王芳:  @2025-01-01T19:05:09Z [file 图片已忽略]", "小明: 早 @2025-01-02T05:05:09Z"}, left: notices},
		{name: "group on a phone", file: "_chat.txt", text: lrm + "[2024/3/4 20:15:02] 爬山群: " + lrm + "消息和通话都经过端到端加密。\n" + lrm + "[2024/3/4 20:15:03] 爬山群: " + lrm + "王芳将您添加到群组\n[2024/3/4 20:16:00] 王芳: 我住在合肥。\n" +
			lrm + "[2024/3/4 20:17:00] 李强: " + lrm + "李强已退出\n" + lrm + "[2024/3/4 20:18:00] 李强: " + lrm + "未接语音通话，" + lrm + "点击回拨\n" + lrm + "[2024/3/4 20:19:00] 李强: " + lrm + "这条消息已删除。\n" +
			"[2024/3/4 20:20:00] 李强: 日出 " + lrm + "<附件：00000051-PHOTO.jpg>\n" + lrm + "[2024/3/4 20:21:00] 王芳: " + lrm + "忽略表情贴图\n" + lrm + "[2024/3/4 20:22:00] 王芳: " + lrm + "You received a view once message. Open it on your phone.\n",
			want: []string{"王芳: 我住在合肥。 @2024-03-04T20:16:00Z", "李强: 日出 @2024-03-04T20:20:00Z [image 00000051-PHOTO.jpg]", "王芳:  @2024-03-04T20:21:00Z [file 忽略表情贴图]"}, left: "deleted messages, " + notices},
		{name: "telegram", file: "result.json", text: `{"chats":{"list":[{"type":"saved_messages","id":1,"messages":[
			{"id":1,"type":"message","date_unixtime":"1714550400","from":"Ana","from_id":"user1","text":["I live in ",{"type":"text_link","text":"Porto","href":"https://porto.pt"}]},
			{"id":2,"type":"message","date_unixtime":"1714550401","from":"Bob","text":"","poll":{"question":"Sushi?","answers":[{"text":"yes"}]},"reply_to_message_id":1},
			{"id":3,"type":"message","date_unixtime":"1714550402","from":"Bob","text":"","location_information":{"latitude":41.1,"longitude":-8.6}}]}]},
			"left_chats":{"list":[{"name":"Old","id":10,"messages":[{"id":1,"type":"message","date_unixtime":"1714550400","from":"Zed","text":"bye"},{"id":2,"type":"service","action":"phone_call","text":""}]}]}}`,
			want: []string{"Ana: I live in Porto (https://porto.pt) @2024-05-01T08:00:00Z", "Bob:  @2024-05-01T08:00:01Z < I live in Porto (https://porto.pt) [poll Sushi?\n- yes]", "Bob:  @2024-05-01T08:00:02Z [location 41.1, -8.6]", "Zed: bye @2024-05-01T08:00:00Z"}, left: notices},
		{name: "telegram page", file: "messages.html", text: telegramPageOf(
			`<div class="message service" id="message-1"><div class="body details">Ana created group «X»</div></div>`,
			`<div class="message default clearfix" id="message1"><div class="pull_left userpic_wrap"><div class="userpic"><div class="initials">A</div></div></div><div class="body"><div class="pull_right date details" title="03.03.2024 20:15:02 UTC+01:00">20:15</div><div class="from_name">Ana <span class="details">via @gif</span></div><div class="text">I live in <a href="https://porto.pt">Porto</a>.<br><strong>Yes</strong> &amp; no</div></div></div>`,
			`<div class="message default clearfix joined" id="message2"><div class="body"><div class="pull_right date details" title="03.03.2024 20:16:02">20:16</div><div class="media_wrap clearfix"><a class="photo_wrap clearfix pull_left" href="photos/photo_1.jpg"><img class="photo" src="photos/photo_1_thumb.jpg"/></a></div><div class="text">caption</div></div></div>`,
			`<div class="message default clearfix" id="message3"><div class="body"><div class="pull_right date details" title="03.03.2024 20:17:02 UTC">20:17</div><div class="from_name">Bob</div><div class="reply_to details">In reply to <a href="messages.html#go_to_message1">this message</a></div><div class="media_wrap clearfix"><div class="media clearfix pull_left media_voice_message"><div class="body"><div class="title bold">Voice message</div><div class="status details">Not included</div></div></div></div></div></div>`,
			`<div class="message default clearfix" id="message4"><div class="body"><div class="pull_right date details" title="03.03.2024 20:18:02">20:18</div><div class="from_name">Bob</div><div class="pull_left forwarded userpic_wrap"></div><div class="forwarded body"><div class="from_name">Zed <span class="date details" title="01.01.2024 10:00:00"> 01.01.2024 10:00:00</span></div><div class="text">their words</div></div></div></div>`,
			`<div class="message default clearfix joined" id="message5"><div class="body"><div class="pull_right date details" title="03.03.2024 20:19:02">20:19</div><div class="media_wrap clearfix"><div class="media_poll"><div class="question bold">Sushi?</div><div class="answer">- yes</div></div></div></div></div>`),
			want: []string{"Ana: I live in Porto (https://porto.pt).\nYes & no @2024-03-03T20:15:02+01:00", "Ana: caption @2024-03-03T20:16:02Z [image photo_1.jpg]",
				"Bob:  @2024-03-03T20:17:02Z < I live in Porto (https://porto.pt).\nYes & no [audio Voice message Not included]", "Bob: [forwarded from Zed] @2024-03-03T20:18:02Z < Zed:\ntheir words", "Bob:  @2024-03-03T20:19:02Z [poll Sushi?\n- yes]"}, left: notices},
		{name: "discord", file: "c.json", text: `{"guild":{"name":"G"},"channel":{"name":"c"},"messages":[{"id":"1","type":"GuildMemberJoin","author":{"name":"a"},"content":"Joined"},
			{"id":"2","type":"20","author":{"name":"a"},"content":"rolled 6"},{"id":"3","type":"Default","author":{"name":"a"},"content":"","stickers":[{"name":"Wave"}]},
			{"id":"4","type":"Default","author":{"name":"a"},"content":"","forwardedMessage":{"content":"their words"}},{"id":"5","type":"Default","author":{"name":"a"},"content":"","embeds":[{"title":"Build","description":"passed"}]}]}`,
			want: []string{"a: rolled 6", "a:  [sticker Wave]", "a: [forwarded] < their words", "a:  [embed Build\npassed]"}, left: notices},
		{name: "list in an object", file: "dump.json", text: `{"meta":{"tags":[{"k":1}]},"data":{"messages":[{"id":7,"author":{"name":"Ana"},"body":"hi","files":[{"n":1}]},{"id":8,"author":{"name":"Bob"},"body":["my dog"," is Rex"],"in_reply_to":7}]}}`,
			o: Options{Map: map[string]string{"sender": "author.name", "text": "body"}}, want: []string{"Ana: hi", "Bob: my dog is Rex < hi"}},
		{name: "role is a name", file: "t.csv", text: "sender;body\nAna;\"He said \"\"hi\"\";\nnew line\"\nassistant;ok\n", o: Options{Map: map[string]string{"role": "sender", "text": "body"}}, want: []string{"Ana: He said \"hi\";\nnew line", "assistant: ok"}},
		{name: "parts", file: "c.jsonl", text: `{"role":"assistant","content":[{"type":"text","text":"Nice"}]}` + "\n" + `{"role":"user","content":"hi","files":[{"name":"a"}]}`, want: []string{"assistant: Nice", "user: hi"}},
		{name: "Zoom", file: "GMT20240301-140500_Recording.transcript.vtt", text: "WEBVTT\n\n1\n00:00:16.239 --> 00:00:27.079\nAna Ruiz: I live in\n\n2\n00:00:27.379 --> 00:00:29.000\nAna Ruiz: Porto &amp; Lisbon.\n\n3\n00:01:00.000 --> 00:01:02.000\nBo: So: yes\n\n4\n01:01:00.000 --> 01:01:02.000\nand no.\n",
			want: []string{"Ana Ruiz: I live in Porto & Lisbon. @2024-03-01T14:05:16Z", "Bo: So: yes and no. @2024-03-01T14:06:00Z"}},
		{name: "Teams", file: "m.vtt", text: "\ufeffWEBVTT\r\n\r\nNOTE made by x\r\n\r\na-1/2\r\n00:03.000 --> 00:04.000 align:start\r\n<v Ana Ruiz>Hi <i>all</i>.</v>\r\n<v Bo>Hi.</v>\r\n\r\n00:05.000 --> 00:06.000\r\n<v Bo>I have a dog\r\nnow</v>\r\n",
			want: []string{"Ana Ruiz: Hi all.", "Bo: Hi.", "Bo: I have a dog now"}, left: "times from the start of a recording, whose date is not in the file's name; messages have no time"},
		{name: "SubRip", file: "x 2026-03-01 10-00-00.srt", text: "1\n00:00:01,000 --> 00:00:02,000\nAna: hi?\n\n2\n00:00:03,000 --> 00:00:04,000\nBo: yes\n",
			want: []string{"Ana: hi? @2026-03-01T10:00:01Z", "Bo: yes @2026-03-01T10:00:03Z"}},
		{name: "Korean", file: "k.txt", text: "2024년 3월 1일 오후 2:04\n2024년 3월 1일 오후 2:05, 민수 : 부산에 살아\n그래\n2024년 3월 1일 오후 2:06, 지아님이 들어왔습니다.\n2024년 3월 2일 오전 12:07, 지아 : 12:30 좋아\n",
			want: []string{"민수: 부산에 살아\n그래 @2024-03-01T14:05:00Z", "지아: 12:30 좋아 @2024-03-02T00:07:00Z"}, left: notices},
		{name: "Korean phone", file: "k.txt", text: "2024. 3. 1. 오후 2:05 - 민수: 안녕\n[2024. 3. 1. 오전 9:06:01] 지아: 응\n", o: Options{Dates: "dmy"},
			want: []string{"지아: 응 @2024-03-01T09:06:01Z", "민수: 안녕 @2024-03-01T14:05:00Z"}},
		{name: "Arabic digits", file: "a.txt", text: "١\u200f/٣\u200f/٢٠٢٤، ٢:٠٥ م - ليلى: أسكن في ٣ شارع\n١٣\u200f/٣\u200f/٢٠٢٤، ١٢:٠٥ ص - Bo: ok 5\n",
			want: []string{"ليلى: أسكن في ٣ شارع @2024-03-01T14:05:00Z", "Bo: ok 5 @2024-03-13T00:05:00Z"}},
		{name: "calls", file: "a.txt", text: "[01.03.24, 10:00:00] Ana: \u200eBild weggelassen\n[01.03.24, 10:01:00] Ana: \u200eEntgangener Anruf\n[13.03.24, 10:02:00] Bo: sorry\n",
			want: []string{"Ana:  @2024-03-01T10:00:00Z [file Bild weggelassen]", "Bo: sorry @2024-03-13T10:02:00Z"}, left: notices},
		{name: "mbox", file: "all.mbox", text: "From x Mon Jan  1 11:00:00 2024\nFrom: Ana <a@e.org>\nMessage-ID: <1>\nContent-Type: text/html\n\n<p>My dog is Rex.</p><div>On Monday Bob wrote:<blockquote>old<br>words</blockquote></div>\n\nFrom the start this is text.\n\n" +
			"From x Tue Jan  2 11:00:00 +0000 2024\nFrom: Bob <b@e.org>\nIn-Reply-To: <1>\nMessage-ID: <2>\nContent-Type: multipart/mixed; boundary=q\n\n--q\nContent-Type: message/rfc822\n\nFrom: Dan\nSubject: car\n\nI sold it\n--q--\n\nFrom x Wed Jan  3 11:00:00 2024\nFrom: Ana <a@e.org>\nIn-Reply-To: <2>\n\nGood\n",
			want: []string{"Ana: My dog is Rex.\n\nFrom the start this is text. @2024-01-01T11:00:00Z < On Monday Bob wrote:\nold\nwords", "Bob:  @2024-01-02T11:00:00Z < My dog is Rex.\n\nFrom the start this is text. [mail Dan\ncar\nI sold it]", "Ana: Good @2024-01-03T11:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Report = func(f *schema.Finding) {
				if f.Code != codeLeft {
					t.Error(f)
				}
			}
			got, s := readAll(t, put(t, "x", map[string]string{c.file: c.text}), c.o)
			var all []string
			for _, m := range got {
				text := cmp.Or(m.Name, m.Role) + ": " + m.Content
				if m.Timestamp != "" {
					text += " @" + m.Timestamp
				}
				if m.Quote != "" {
					text += " < " + m.Quote
				}
				for _, a := range m.Attachments {
					text += " [" + strings.Join(strings.Fields(a.Type+" "+cmp.Or(a.Name, a.ID)), " ")
					if a.Text != "" {
						text += " " + a.Text
					}
					text += "]"
				}
				all = append(all, text)
			}
			if strings.Join(all, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(c.want, "\n"))
			}
			if left := strings.Join(kinds(s.Left), ", "); left != c.left {
				t.Errorf("left out %q, want %q", left, c.left)
			}
			if c.name == "mbox" && s.Conversations != 1 {
				t.Errorf("%d threads, want 1", s.Conversations)
			}
		})
	}
}

// TestSourceLines: a message names the line on which it begins, also where an export is one JSON text over many lines.
func TestSourceLines(t *testing.T) {
	list := func(message string) string {
		var all []string
		for i := range 4 {
			all = append(all, fmt.Sprintf(strings.ReplaceAll(message, "'", "\""), i+1, i))
		}
		return strings.Join(all, ",\n")
	}
	telegram := list("{'id':%[1]d,\n'type':'message','from':'Ana','from_id':'user1','date_unixtime':'171455040%[1]d',\n\n'text':'hello %[1]d'}")
	for name, text := range map[string]string{
		"gpt/conversations.json": "[\n{\"title\":\"T\",\"id\":\"c\",\"current_node\":\"4\",\n\"mapping\":{\n" +
			list("'%[1]d':{'parent':'%[2]d',\n'message':{'author':{'role':'user'},\n'content':{'parts':['hello %[1]d']}}}") + "}}]",
		"claude/conversations.json": "[\n{\"uuid\":\"c\",\"name\":\"T\",\n\"chat_messages\":[\n" + list("{'uuid':'%[1]d','sender':'human',\n'text':'hello %[1]d'}") + "]}\n]",
		"one/result.json":           "{\"name\":\"T\",\"id\":1,\"type\":\"x\",\n\"messages\":[\n" + telegram + "]}",
		"all/result.json":           "{\"chats\":{\"list\":[\n{\"name\":\"T\",\"id\":1,\"messages\":[\n" + telegram + "]}\n]}}",
		"discord.json":              "{\"guild\":{\"name\":\"G\"},\"channel\":{\"name\":\"c\"},\n\"messages\":[\n" + list("{'id':'%[1]d','type':'Default','author':{'name':'a'},\n'content':'hello %[1]d'}") + "]}",
		"dump.json":                 "{\"data\":{\n\"messages\":[\n" + list("{'author':'Ana',\n'text':'hello %[1]d'}") + "]}}",
	} {
		got, _ := readAll(t, put(t, "x", map[string]string{name: text}), Options{})
		lines := strings.Split(text, "\n")
		if len(got) != 4 {
			t.Errorf("%s: %d messages", name, len(got))
		}
		for i, m := range got {
			end := len(lines)
			if i+1 < len(got) {
				end = got[i+1].SourceLine - 1
			}
			if first := m.SourceLine - 1; first < 2 || first >= end || strings.Count(strings.Join(lines[first:end], "\n"), m.Content) != 1 || !strings.Contains(lines[first], "{") {
				t.Errorf("%s: %q at line %d, the next at %d, of\n%s", name, m.Content, m.SourceLine, end+1, text)
			}
		}
	}
}

func kinds(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// telegramPageOf is a page of Telegram's export as HTML.
func telegramPageOf(messages ...string) string {
	return `<html><body><div class="page_wrap"><div class="page_header"><div class="content"><div class="text bold">X</div></div></div><div class="history">` + strings.Join(messages, "\n") + `</div></div></body></html>`
}

// TestDiscordPackage: Discord's own data package, in its present and its earlier form,
// newest messages first, gives one person's side of each channel.
func TestDiscordPackage(t *testing.T) {
	got, s := readAll(t, put(t, "package.zip", map[string]string{
		"Account/user.json": `{"id":"9","username":"lin","global_name":"Lin"}`, "Messages/index.json": `{"11":"general in Boats","12":null}`,
		"Messages/c11/channel.json":  `{"id":"11","type":"GUILD_TEXT","name":"general"}`,
		"Messages/c11/messages.json": `[{"ID":2,"Timestamp":"2025-03-01 10:05:00","Contents":"","Attachments":"https://cdn.example.org/a/cat.png?ex=1 https://cdn.example.org/b.pdf"},{"ID":1,"Timestamp":"2025-03-01 10:00:00","Contents":"I live in Oslo.","Attachments":""}]`,
		"Messages/c12/channel.json":  `{"id":"12","type":"DM","recipients":["9","8"]}`,
		"Messages/c12/messages.csv":  "ID,Timestamp,Contents,Attachments\n4,2021-02-03 04:05:06.123000+00:00,\"two\nlines, \"\"quoted\"\"\",\n3,2021-02-03 04:05:07,,\n", "Servers/index.json": `{"1":"Boats"}`,
	}), Options{})
	var all []string
	for _, m := range got {
		all = append(all, fmt.Sprintf("%s %s %s %q %d", m.ConvID, m.Name, m.Timestamp, m.Content, len(m.Attachments)))
	}
	want := []string{`discord-general-in-boats-11 Lin 2025-03-01T10:00:00Z "I live in Oslo." 0`, `discord-general-in-boats-11 Lin 2025-03-01T10:05:00Z "" 2`, "discord-12-12 Lin 2021-02-03T04:05:06Z \"two\\nlines, \\\"quoted\\\"\" 0"}
	if !slices.Equal(all, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
	if s.Left["messages without text"] != 1 {
		t.Errorf("skipped %v", s.Left)
	}
}

// TestAccounts: two accounts of one name are two people in every form that has accounts;
// where a speaker has none, or there are two exports, a name is a person in a conversation.
func TestAccounts(t *testing.T) {
	page := func(from string) string {
		return telegramPageOf(`<div class="message default clearfix" id="message1"><div class="body"><div class="pull_right date details" title="03.03.2024 20:15:02">20:15</div><div class="from_name">` + from + `</div><div class="text">hi</div></div></div>`)
	}
	chat := func(id, from, account string) string {
		return `{"type":"personal_chat","name":"Alex","id":` + id + `,"messages":[{"id":1,"type":"message","date_unixtime":"1714550400","from":"` + from + `"` + account + `,"text":"hi"}]}`
	}
	channel := func(id, authors string) string {
		return `{"guild":{"id":"1","name":"G"},"channel":{"id":"` + id + `","type":"GuildTextChat","categoryId":"5","category":"T","name":"c"},"messages":[` + authors + `]}`
	}
	author := func(id, name, nick string) string {
		return `{"id":"` + id + `","type":"Default","content":"hi","author":{"id":"` + id + `","name":"` + name + `","nickname":"` + nick + `"}}`
	}
	mails := func(from ...string) string {
		var b strings.Builder
		for _, f := range from {
			fmt.Fprintf(&b, "From x Mon Jan  1 11:00:00 2024\nFrom: %s\n\nhi\n\n", f)
		}
		return b.String()
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // who speaks, in order
		one   bool   // one name is one person
	}{
		{"telegram", map[string]string{"result.json": `{"chats":{"list":[` + chat("1", "Alex", `,"from_id":"user2"`) + "," + chat("2", "Alex", `,"from_id":"user3"`) + "," + chat("3", "Alex", `,"from_id":"user2"`) + `]}}`}, "Alex, Alex (user3), Alex", true},
		{"telegram without accounts", map[string]string{"result.json": `{"chats":{"list":[` + chat("1", "Alex", `,"from_id":"user2"`) + "," + chat("2", "Alex", "") + `]}}`}, "Alex, Alex", false},
		{"telegram pages", map[string]string{"chat_1/messages.html": page("Deleted Account"), "chat_2/messages.html": page("Deleted Account")}, "Deleted Account, Deleted Account", false},
		{"discord", map[string]string{"a.json": channel("1", author("11", "sam_1", "Sam")+","+author("22", "sam_2", "Sam")), "b.json": channel("2", author("22", "sam_2", "Sam")+","+author("11", "sam_1", "Sammy"))},
			"Sam, Sam (22), Sam (22), Sam", true},
		{"mail", map[string]string{"a.mbox": mails("John Smith <j1@a>", "John Smith <j2@b>", "John Smith <J1@a>", "x@y.org")}, "John Smith, John Smith (j2@b), John Smith, x@y.org", true},
		{"mail, a bare address", map[string]string{"a.mbox": mails("x@y.org", "John Smith <X@y.org>", "x@y.org")}, "John Smith, John Smith, John Smith", true},
		{"mail without an address", map[string]string{"a.mbox": mails("John Smith <j1@a>", "Nobody")}, "John Smith, Nobody", false},
		{"slack", map[string]string{"users.json": `[{"id":"U1","name":"kim","profile":{"display_name":"Kim"}},{"id":"U2","name":"kim2","profile":{"display_name":"Kim"}}]`,
			"c/2025-03-25.json": `[{"user":"U1","text":"hi <@U2>","ts":"1742896800.0001"},{"user":"U2","text":"hi","ts":"1742896801.0001"},{"user":"U9","text":"hi","ts":"1742896802.0001","user_profile":{"display_name":"Kim"}},{"subtype":"bot_message","bot_id":"B1","username":"Kim","text":"hi","ts":"1742896803.0"}]`},
			"Kim, Kim (U2), Kim (U9), Kim (B1)", true},
		{"slack, one day's list without the rest of the export", map[string]string{"2025-03-25.json": `[{"type":"message","user":"U1","text":"hi","ts":"1742896800.000100","user_profile":{"display_name":"Kim"}},{"type":"message","subtype":"channel_join","user":"U2","text":"<@U2> has joined","ts":"1742896801.000200"},{"type":"message","user":"U1","text":"there","ts":"1742896802.000300"}]`},
			"Kim, Kim", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := put(t, "x", c.files)
			got, _ := readAll(t, at, Options{})
			var who []string
			convs := map[schema.ConvID]bool{}
			for _, m := range got {
				who = append(who, m.Name)
				convs[m.ConvID] = true
			}
			if s := strings.Join(who, ", "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
			if c.name == "discord" && !(len(convs) == 2 && convs["g-c-1"] && convs["g-c-2"]) {
				t.Errorf("channels %v", convs)
			}
			for n := 1; n < 3; n++ { // the export, and it twice, whose messages are taken once
				p, err := Init(t.Context(), InitOptions{Paths: slices.Repeat([]string{at}, n), Dir: t.TempDir()})
				text, err2 := os.ReadFile(p.Config)
				if err != nil || err2 != nil || strings.Contains(string(text), "scope: project\n") != c.one || n > 1 && p.Parts[1].Messages > 0 {
					t.Errorf("%d exports: %v, %v\n%s", n, err, err2, text)
				}
			}
		})
	}
}

// TestFullNames: full names of Slack are names of the same people, but for those that several have.
func TestFullNames(t *testing.T) {
	user := func(id, shown, full string) string {
		return fmt.Sprintf(`{"id":%q,"name":"x","real_name":%q,"profile":{"display_name":%q,"real_name":%q}}`, id, full, shown, full)
	}
	day := ""
	for i := range 5 {
		day += fmt.Sprintf(`,{"type":"message","user":"U%d","text":"hi %d","ts":"174289680%d.000100"}`, i, i, i)
	}
	at := put(t, "x", map[string]string{"users.json": "[" + user("U0", "rita", "Rita Gomes") + "," + user("U1", "omar", "Omar Haddad") + "," + user("U2", "k1", "Kim Lee") + "," + user("U3", "k2", "Kim Lee") + "," + user("U4", "Bo", "Bo") + "]",
		"c/2025-03-25.json": "[" + day[1:] + "]"})
	for _, me := range []string{"rita", "Rita Gomes"} {
		p, err := Init(t.Context(), InitOptions{Paths: []string{at}, Dir: t.TempDir(), Me: me})
		text, err2 := os.ReadFile(p.Config)
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "  known:\n    - {name: \"Omar Haddad\", aliases: [\"omar\"]}\n#") || !strings.Contains(string(text), `"Rita Gomes"`) || !strings.Contains(string(text), `"rita"`) || strings.Contains(string(text), "Kim Lee") {
			t.Errorf("%s", text)
		}
	}
}

// A column that is mapped to the roles and holds none is wrong usage; one with a role, or one of names that has that name, is not.
func TestRolesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		header, rows string
		mapped       map[string]string
		wrong        bool
	}{
		{"Absender;Text;Priorität", "Ana;Hallo;hoch\nBo;Ja;niedrig\n", map[string]string{"role": "Priorität"}, true},
		{"Text;Priorität", "Hallo;hoch\nJa;niedrig\n", map[string]string{"role": "Priorität"}, true},
		{"Absender;Text;Art", "Ana;Hallo;User\nBot;Ja;assistant\nBo;Nein;Chef\n", map[string]string{"role": "Art"}, false},
		{"Absender;Text;Art", "Ana;Hallo;\nBo;Ja;\n", map[string]string{"role": "Art"}, false},
		{"text;role", "hi;Ana\nyes;Bo\n", nil, false},
	} {
		p, err := Init(t.Context(), InitOptions{Options: Options{Map: c.mapped}, Paths: []string{put(t, "x", map[string]string{"t.csv": c.header + "\n" + c.rows})}, Dir: t.TempDir()})
		var usage *schema.UsageError
		if errors.As(err, &usage) != c.wrong || !c.wrong && err != nil {
			t.Errorf("%s: %v", c.header, err)
		}
		if _, err := os.Stat(p.Config); c.wrong && err == nil {
			t.Errorf("%s: a project was made", c.header)
		}
	}
}
