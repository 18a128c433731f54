package clause

import (
	"embed"
	"strings"
)

// set makes a set of blank-separated words.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// phrases is a set of phrases that commas part.
func phrases(list string) map[string]bool {
	m := map[string]bool{}
	for _, p := range strings.Split(list, ",") {
		m[p] = true
	}
	return m
}

//go:embed words
var wordFiles embed.FS

// table makes a map of a file of lines "key: word, word …"; the words lead to the key.
func table(name string) map[string]string {
	text, err := wordFiles.ReadFile("words/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	m := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, words, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, w := range strings.Split(words, ",") {
			if w = strings.TrimSpace(w); w != "" {
				m[w] = key
			}
		}
	}
	return m
}

// relations are words for people by their relation to another.
var relations = table("relations.txt")

// family are the relations that need no possessive: "Mom called".
var family = set("mother father grandmother grandfather")

// notNames are words with a capital that are no person.
var notNames = set(`christmas easter thanksgiving halloween english french spanish german italian chinese japanese korean arabic portuguese russian american british indian european
	aww awww ahh ohh hmm ugh yay yikes whoa geez damn gosh bro dude god lol omg ok okay wow yeah yes hey hi hello thanks congrats america usa europe asia africa australia canada england london paris york tokyo google facebook instagram youtube netflix amazon twitter spotify
	city street university college company inc school hospital team island park beach`)

var months = set("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec")

// places are nouns that say where something is.
var places = set(`home house apartment flat dorm room kitchen garden backyard office work school college university campus class gym park beach lake river mountain forest woods hill
	city town village downtown country countryside island coast airport station hotel hostel restaurant cafe bar pub club museum gallery theater theatre cinema library church temple mosque
	hospital clinic store shop mall market bakery studio shelter farm zoo stadium rink pool spa court field trail camp campsite festival conference concert convention center centre neighborhood
	street abroad overseas`)

// leading and trailing words are not part of an object.
var leading = set("just also really very so too even still already always of that , and but for")
var trailing = set("too though anyway lol haha tbh btw also well either again now ! and but or so because as since until till")
var fillers = set("just also really actually definitely still already always even only so too n't not never ever recently lately currently usually often sometimes finally probably totally absolutely honestly truly now then kinda")

// timeAdverbs are words of time that name no day.
var timeAdverbs = set(`recently lately currently nowadays now today tonight yesterday tomorrow always usually often sometimes regularly occasionally rarely weekly daily monthly constantly frequently
	previously formerly soon someday already ago earlier later everyday once just`)

var timeNouns = set("day morning afternoon evening night week weekend month year summer winter spring fall autumn season monday tuesday wednesday thursday friday saturday sunday")

// timeHints are words without which a sentence has no expression of time.
var timeHints = set(`today tonight yesterday tomorrow now ago last next this past since until till by before after during week weeks weekend weekends month months year years day days hour hours minute minutes
	morning afternoon evening night nights noon midnight monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
	january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
	tmrw tmr tomoz spring summer fall autumn winter decade decades quarter century couple few one two three four five six seven eight nine ten eleven twelve half annual every once twice`)

// particles belong to the verb that they follow.
var particles = set("up out off down back away over forward around along apart together")

// emptyVerbs say nothing by themselves, in any clause.
var emptyVerb = set(`mean guess suppose seem appear happen matter sound depend let thank welcome excuse pardon reckon bet wonder imagine wish hope hear apologize swear tend concern pray fear
	congratulate bless can will would could should may might must shall`)

// attitude verbs state something of the speaker without a subject: "Love that film".
var attitude = set("love like hate miss prefer appreciate adore need want")

// stirs are verbs whose object is moved by their subject; true: gladly.
var stirs = func() map[string]bool {
	m := map[string]bool{}
	for w := range set("fascinate interest excite inspire relax calm soothe delight please thrill captivate intrigue amuse energize recharge enchant comfort uplift cheer amaze motivate") {
		m[w] = true
	}
	for w := range set("bore annoy irritate scare frighten terrify disgust bother drain exhaust depress stress bug horrify tire frustrate") {
		m[w] = false
	}
	return m
}()

// statives are verbs that the tagger takes for nouns or adjectives now and then.
var statives = map[string]bool{"love": true, "like": true, "hate": true, "need": true, "want": true, "work": true, "study": true, "live": true, "play": true, "cook": true, "paint": true, "own": true, "plan": true, "visit": true, "move": true, "start": true, "run": true, "travel": true, "teach": true, "learn": true, "read": true, "watch": true, "eat": true, "drive": true, "ride": true, "walk": true, "swim": true, "dance": true, "volunteer": true, "practice": true, "train": true, "hike": true, "camp": true, "fish": true, "garden": true}

// plans are verbs that say what is meant to come.
var plans = set("plan intend aim")

// feelings are adjectives of a state of mind.
var feelings = set(`happy sad excited nervous anxious worried afraid scared stressed tired exhausted proud glad grateful thankful upset angry mad annoyed frustrated disappointed depressed lonely bored
	overwhelmed relieved confident motivated inspired hopeful curious surprised shocked embarrassed ashamed jealous guilty thrilled amazed calm relaxed burned burnt homesick heartbroken devastated eager unsure confused torn
	ecstatic blessed comfortable uncomfortable stoked pumped psyched content peaceful rejuvenated refreshed energized bummed sick disconnected`)

// statuses are words of HAS_STATUS.
var statuses = set("married single divorced engaged widowed pregnant retired unemployed separated employed jobless vegan vegetarian")

// conditions are words of health.
var conditions = set(`allergy allergies allergic asthma diabetes diabetic migraine migraines flu cold covid fever cough headache injury injured surgery arthritis cancer depression anxiety adhd insomnia
	hypertension anemia celiac eczema sick ill hurt sprained broken concussion pneumonia infection pain intolerant intolerance sore hospitalized`)

// diets are words of what is eaten.
var diets = set("vegan vegetarian pescatarian keto gluten dairy lactose halal kosher paleo carbs meat-free plant-based coeliac teetotal")

// animals are those that people keep, with the kind that each is of.
var animals = table("animals.txt")

// Animal is what kind of animal a phrase names, "" if none: a puppy and a beagle are dogs.
func Animal(phrase string) string {
	for w := range strings.FieldsFuncSeq(strings.ToLower(phrase), func(r rune) bool { return letter(r) == ' ' }) {
		if k := animals[w]; k != "" {
			return k
		}
	}
	for _, r := range phrase { // 两只猫
		if k := animals[string(r)]; k != "" {
			return k
		}
	}
	return ""
}

// jobs are nouns for what people are, beside those that end in -er, -or, -ist and the like.
var jobs = set(`nurse chef cook pilot lawyer attorney accountant architect artist musician dentist doctor pharmacist mechanic electrician plumber carpenter soldier veteran police officer firefighter student freshman sophomore junior senior
	major intern founder entrepreneur freelancer consultant analyst director assistant secretary librarian judge journalist editor translator barista waitress waiter cashier clerk paralegal therapist vet veterinarian
	psychologist biologist chemist physicist scientist researcher professor teacher tutor coach designer developer programmer engineer manager producer writer author actor actress model dancer singer photographer farmer driver baker butcher tailor salesperson realtor technician operator supervisor`)
