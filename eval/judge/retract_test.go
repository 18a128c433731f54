package judge

import "testing"

// What goes beyond the gold in time, moves it off, or says something else beside it is not taken
// for certain: 'd' is doubtful or wrong, 's' a certain right, 'w' wrong.
func TestRetractions(t *testing.T) {
	const tea, live, zh = "which tea?", "Where does Ana live?", "安住在哪里？"
	const ann, code, cold = "Where does Ann live?", "What is the door code?", "How cold was it?"
	for _, c := range []struct {
		question, gold, reply string
		want                  byte
	}{
		{tea, "oolong", "First it was oolong, then sencha", 'd'},
		{tea, "oolong", "oolong, sencha", 'd'},
		{tea, "oolong", "It was oolong, then sencha.", 'd'},
		{tea, "oolong", "He drank oolong, then switched to sencha.", 'd'},
		{tea, "oolong", "He drank oolong; now it is sencha.", 'd'},
		{tea, "oolong", "It was oolong.", 's'},
		{live, "Paris", "Paris, then London", 'd'},
		{live, "Paris", "She lived in Paris, then moved to London.", 'd'},
		{live, "Paris", "Ana lives in Paris. She later moved to London.", 'd'},
		{zh, "巴黎", "安住在巴黎，后来搬到伦敦。", 'd'},
		{zh, "巴黎", "安住在巴黎，现在是伦敦。", 'd'},

		{ann, "Ghent", "If I remember right she does not live in Ghent.", 'd'},
		{ann, "Ghent", "If you believe Bob, Ann lives in Ghent.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent if you ignore the last message.", 'd'},
		{ann, "Ghent", "If I guess wildly, Ann lives in Ghent.", 'd'},
		{ann, "Ghent", "If I remember right, Ann lives in Ghent.", 's'},
		{ann, "Ghent", "If I read the chat right, Ann lives in Ghent.", 's'},
		{ann, "Ghent", "Unless I am mistaken, Ann lives in Ghent.", 's'},
		{ann, "Ghent", "If I am not wrong about this, Ann lives in Ghent.", 's'},
		{ann, "Ghent", "Ann lives in Ghent, if I remember correctly.", 's'},
		{zh, "根特", "如果我没记错她不住在根特。", 'd'},
		{zh, "根特", "要是让我瞎猜，根特。", 'd'},
		{zh, "根特", "若溪没告诉我她住在根特。", 'd'},
		{zh, "根特", "如果我没记错，安住在根特。", 's'},

		{ann, "Ghent", "Ann lives in Ghent. She lives in a different city today.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. She moved to another city in May.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. My information is stale.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. She never set foot in Belgium.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. Nobody mentioned the change to Bruges, though she told me.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. Nobody says anything else.", 's'},
		{ann, "Ghent", "Ann lives in Ghent. The one in Bruges is somebody else.", 's'},
		{zh, "根特", "安住在根特。后来她搬到另一个城市了。", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. Ghent was her old home.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent, unless I mixed her up with Bob.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. Let me know if you need anything else.", 's'},
		{ann, "Ghent", "Ann lives everywhere but Ghent.", 'd'},
		{zh, "根特", "安住在根特附近的一个村子。", 'd'},
		{zh, "根特", "安住在根特，这是以前的记录。", 'd'},
		{"会议是什么时候？", "2024年1月15日", "原定1月15日，后改到2024年1月20日", 'd'},
		{"When is the deadline?", "15 January 2024", "It was 15 January 2024, but moved to 20 January 2024.", 'd'},
		{"Is the deadline moved?", "No, on 15 January", "It moved to 15 January.", 'd'},

		{code, "4471", "It is now 5582. The door code is 4471.", 'd'},
		{code, "4471", "5582. The door code is 4471.", 'd'},
		{code, "4471", "现在是5582。门禁码是4471。", 'd'},
		{code, "4471", "The old one was 5582. Now it is 4471.", 's'},

		{"How many cats does she have?", "3", "3 dogs and 5 cats", 'd'},
		{"How many cats does she have?", "5", "3 dogs and 5 cats", 's'},
		{"林养了什么宠物？", "乌龟", "她养了一只乌龟，名字叫慢慢。", 's'},

		{cold, "-5 °C", "5 °C", 'w'},
		{cold, "-5 °C", "minus five degrees Celsius", 's'},
		{cold, "-5 °C", "5 degrees below zero", 's'},
		{cold, "零下五度", "-5度", 's'},
		{cold, "零下五度", "五度", 'w'},
		{"What was the balance?", "-120 euros", "It was 120 euros.", 'w'},
		{"What was the balance?", "-120 euros", "negative 120 euros", 's'},
		{cold, "-10 to -5 °C", "5 to 10 °C", 'w'},

		{"她喜欢猫吗？", "不喜欢", "她很喜欢。", 'w'},
		{"她喜欢猫吗？", "不喜欢", "喜欢", 'w'},
		{"她喜欢猫吗？", "不喜欢", "她不喜欢。", 's'},
		{"她对猫怎么看？", "不喜欢", "她很喜欢。", 'd'},
		{"Does she like cats?", "She does not like cats.", "She likes cats.", 'w'},
		{"What does she think of cats?", "She does not like cats.", "She likes cats.", 'd'},
		{"Does she like cats?", "She does not like cats.", "She doesn't like cats.", 's'},
		{"What did the car cost?", "$15,000", "€15,000", 'w'},
		{"What did the car cost?", "$15,000", "15,000 dollars", 's'},
		{"What did the car cost?", "$15,000", "$15,000", 's'},
		{"When is the appointment?", "Monday morning", "Monday evening", 'w'},
		{"When is the appointment?", "Monday morning", "Tuesday morning", 'w'},
		{"Did Ann go to Rome?", "Yes", "Did Ann go to Rome?", 'd'},
		{live, "Paris", "Paris; London these days.", 'd'},
		{live, "Paris", "Paris and London", 'd'},
		{live, "Paris", "Paris/London", 'd'},
		{tea, "oolong", "Certainly, oolong.", 's'},
		{live, "Paris", "Ana lives in Paris. Her sister lives in a different city.", 's'},
		{"When is the appointment?", "Monday morning", "On Monday morning.", 's'},
		{"Did Ann go to Rome?", "No", "Ann did not go to Rome.", 's'},
		{"Did Ann go to Rome?", "No", "Ann went to Rome.", 'w'},
		{"Did Ann go to Rome?", "Yes, on 15 January", "No.", 'w'},
		{"Did Ann go to Rome?", "No, on 15 January", "No.", 's'},
		{"Did Ann go to Rome?", "No, on 15 January", "Yes.", 'w'},

		{"What is the deposit?", "4100元", "4100美元", 'd'},
		{"押金多少？", "4100元", "4100美元", 'd'},
		{"How many litres does the barrel hold?", "150", "150 gallons", 'd'},
		{"How many litres does the barrel hold?", "150", "150 litres", 's'},
		{"What did the shed weigh?", "5 crates", "5 sacks", 'd'},
		{"How tall is the mast?", "14 metres", "between 9 and 14 metres", 'd'},
		{"桅杆有多高？", "14米", "9到14米之间", 'd'},
		{"When did the dam open?", "6 June 2023", "after 6 June 2023", 'd'},
		{"When did the dam open?", "6 June 2023", "6 June 2023", 's'},
		{"水坝哪天启用的？", "2023年6月6日", "2023年6月6日之前", 'd'},
		{"When does the bus leave?", "5 pm", "before 5 pm", 'd'},
		{"Which tools did Sven pack?", "pliers, chisels and clamps", "pliers and chisels", 'd'},
		{"Which tools did Sven pack?", "pliers, chisels and clamps", "pliers, chisels, clamps, saws and drills", 'd'},
		{"Which tools did Sven pack?", "pliers, chisels and clamps", "Sven packed pliers, chisels and clamps.", 's'},
		{"阿岩带了哪些工具？", "钳子、凿子、夹具", "钳子和凿子", 'd'},
		{"Which tools did Sven pack?", "pliers, chisels and clamps", "Sven packed pliers, plus a good pair of chisels, before we left.", 'd'},
		{"阿岩带了哪些工具？", "钳子、凿子、夹具", "阿岩带了钳子，还有一把凿子，大家都很放心。", 'd'},

		{ann, "Ghent", "Ann lives in Ghent. That was before she moved to Bruges.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. It was true once, until Bruges.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. Formerly; now it is Bruges.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. She used to.", 'd'},
		{ann, "Ghent", "👎 Ann lives in Ghent. Until March it was Bruges.", 'd'},
		{ann, "Ghent", "Ann lives in Ghent. She was in Bruges until March, or so I guess.", 'd'},
		{"Where did Ann live in 2019?", "Ghent", "Ann lives in Ghent. She lived in Bruges until 2022.", 'd'},
		{zh, "根特", "安住在根特。那是以前的事，现在是布鲁日。", 'd'},

		{"Which test did the lab run?", "PCR", "The lab ran a protein count.", 'w'},
		{"Which test did the lab run?", "polymerase chain reaction", "The lab ran an ELISA.", 'w'},
		{"Did Nils join the choir?", "No", "He meant to but the audition was called off.", 'd'},
		{"What is the name of the mare?", "Juno", "I'm not sure, but it is probably Juno.", 'd'},
	} {
		v := Judge(Question{Text: c.question}, []string{c.gold}, c.reply)
		got := byte('d')
		switch {
		case !v.Correct:
			got = 'w'
		case v.Doubt == "":
			got = 's'
		}
		if got != c.want && !(c.want == 'd' && got == 'w') {
			t.Errorf("%s | %s | %s: %c, want %c (%s %q, doubt %q, %.2f)", c.question, c.gold, c.reply, got, c.want, v.Rule, v.Reason, v.Doubt, v.Score)
		}
	}
}
