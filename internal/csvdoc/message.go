package csvdoc

import "slices"

// Message has the parts of a message, with the names by which they are found where nobody says which they are.
var Message = []Part{
	{Name: "text", Known: []string{"text", "body", "message", "content", "msg", "utterance", "消息", "内容", "消息内容", "聊天内容", "发言内容", "nachricht", "texte", "contenu", "mensaje", "texto"}},
	{Name: "sender", Known: []string{"sender", "from", "author", "speaker", "name", "user", "username", "sender_name", "from_name", "发送者", "发送人", "发言人", "发件人", "昵称", "姓名", "absender", "von", "verfasser", "autor", "expéditeur", "auteur", "remitente"}},
	{Name: "role", Known: []string{"role"}},
	{Name: "time", Known: []string{"time", "timestamp", "date", "datetime", "created_at", "sent_at", "ts", "created", "created_time", "create_time", "createdDateTime", "sent", "date_sent", "timestamp_ms", "时间", "发送时间", "日期", "日期时间", "zeit", "zeitpunkt", "datum", "erstellt", "erstellt am", "heure", "fecha", "hora"}},
	{Name: "conversation", Known: []string{"conversation", "conversation_id", "conv_id", "thread", "thread_id", "chat", "chat_id", "channel", "room", "session", "ticket", "会话", "群", "群名", "群聊", "vorgang", "unterhaltung"}},
	{Name: "quote", Known: []string{"quote", "reply_to_text"}},
	{Name: "id", Known: []string{"id", "message_id", "uuid"}},
	{Name: "reply", Known: []string{"reply", "reply_to", "in_reply_to", "reply_to_id", "parent_id", "reply_to_message_id"}},
	{Name: "attachment", Known: []string{"attachment", "media", "file", "image"}},
}

// Means reports whether somebody may have written name for meant: it is the same but for case, underscores and a final id, or both are usual names of one part of a
// message.
func Means(name, meant string) bool {
	n, m := plainName(name), plainName(meant)
	return n == m || n+"id" == m || slices.ContainsFunc(Message, func(p Part) bool {
		known := func(s string) bool {
			return slices.ContainsFunc(p.Known, func(k string) bool { return plainName(k) == s })
		}
		return known(n) && known(m)
	})
}
