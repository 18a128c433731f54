package openie

import "sync"

// enSelfTable: what the speaker says of itself; the forms start after the subject.
var enSelfTable = sync.OnceValue(func() enTable {
	return enCompile([]enRule{
		{actLike, plainly + 0.02, `
		like|love|enjoy|adore|prefer|cherish|treasure|relish|worship OBJ
		be into|about OBJ
		be all about OBJ
		be fond|fan|admirer|lover|devotee|supporter of OBJ
		be keen|big|sold|hung on OBJ
		be crazy|mad|nuts|passionate|wild|enthusiastic|serious about OBJ
		be obsessed|hooked|smitten|enamoured|enamored|taken|besotted with|on OBJ
		be love with OBJ
		be in love with OBJ
		be interested in OBJ
		be fascinated|captivated|intrigued|enchanted|awed by OBJ
		grow fond of OBJ
		be addicted|drawn|devoted|partial|attracted to|towards OBJ
		be sucker|fiend|glutton for OBJ
		be a sucker|fiend|glutton for OBJ
		be happiest when|in|with|at OBJ
		be getting into OBJ
		get back? into OBJ
		get hooked on OBJ
		fall in? love with OBJ
		live|root for OBJ
		swear by OBJ
		gravitate|lean to|towards|toward OBJ
		look forward to OBJ
		get joy|pleasure|kick|satisfaction|comfort|thrill|buzz|energy from|in|of OBJ
		get lot joy|pleasure|satisfaction|comfort|energy from|in|of OBJ
		get out of OBJ
		get a kick out of OBJ
		get a lot out of OBJ
		take pleasure|comfort|pride|joy|refuge in OBJ
		find joy|comfort|peace|solace|happiness|calm|strength in OBJ
		have got? soft spot for OBJ
		have got? weakness|thing|passion|love|fondness|taste|addiction|affinity|appreciation|obsession|affection for|of|to|with OBJ
		keep coming|going back to OBJ
		come|go back to OBJ
		dig OBJ
		unwind|relax|destress|de-stress with|by OBJ
		would choose|take OBJ
		would rather VP
		could do VP
		can not? spend hours VP`},
		{actMust, plainly, `
		can|could not|never live|do|go without OBJ
		can|could not|never resist OBJ
		can|could not|never say no to OBJ
		can|could not|never get enough of OBJ
		can|could not imagine life|living|myself without OBJ
		can not help but love|like|adore OBJ
		never|not miss OBJ
		never|not tire of OBJ
		never|not get tired|bored|sick of OBJ
		could live on OBJ
		could talk about OBJ
		could watch|read|listen|eat|play to? OBJ
		would not miss OBJ`},
		{actDeed, clear - 0.04, `
		be learning how? to? play? OBJ
		be teaching myself OBJ
		take up OBJ
		take to OBJ
		start|begin learning|playing how? to? play? OBJ
		spend evenings|mornings|weekends|nights|hours|sundays|saturdays|time|afternoons|lunchtimes|holidays VP
		spend my|free|spare|most|all|whole|every evenings|mornings|weekends|weekend|nights|hours|sundays|saturdays|time|afternoons|lunch|holidays VP
		spend most of my free? time|evenings|weekends VP
		collect OBJ`},
		{actDislike, plainly, `
		hate|dislike|detest|loathe|despise|dread|resent|avoid|abhor OBJ
		can|could not|never stand|bear|abide|stomach|tolerate|take|handle OBJ
		can|could not|never get into|behind OBJ
		can|could not|never get on|along with OBJ
		can|could not|never deal|cope|do with OBJ
		can not be bothered|doing with OBJ
		can not be bothered with OBJ
		can|do not see appeal|point of|in OBJ
		do not get appeal|point of|in OBJ
		not fancy OBJ
		not care for OBJ
		not care much? for|about OBJ
		have no|zero|little|not time|patience|use|interest|love|appetite for|in|with OBJ
		have never|not had the? patience|time for OBJ
		stay|keep|steer|shy away|clear of|from OBJ
		be sick|tired|bored|weary of OBJ
		be done|fed with|up OBJ
		be fed up with|of OBJ
		be scared|afraid|terrified|suspicious|wary of OBJ
		could do without OBJ
		could happily live without OBJ
		never take|warm|get to|into OBJ
		not do|eat|drink|touch|watch|read|wear|cook OBJ`},
		{actQuit, clear + 0.04, `
		give up on? OBJ
		quit|ditch OBJ
		stop drinking|eating|watching|reading|smoking|buying|using|playing|listening|going|wearing to? OBJ
		swear off OBJ
		go off OBJ
		grow out of OBJ
		grow tired|sick of OBJ
		lose interest|faith in OBJ
		lose taste for OBJ
		lose my|all interest|taste in|for OBJ
		cut out OBJ`},
		{actTrait, clear + 0.02, `
		get|become bored|distracted|nervous|anxious|carried|attached|seasick|carsick|emotional|stressed|overwhelmed|tired|cold|homesick|grumpy|jealous|defensive|flustered|drained|restless|sleepy VP
		cry|worry|overthink|procrastinate|daydream|ramble|panic|blush VP
		fall asleep VP
		struggle|battle with|to VP
		be|get better|worse|good|bad|great|terrible|hopeless|useless|awful|rubbish|decent|lousy|horrible|excellent|clumsy|quick|slow at|with VP
		be not? no good at|with VP
		be easily bored|distracted|startled|led|embarrassed|amused|overwhelmed|discouraged|impressed
		be prone to VP
		be hard on myself
		be hard|easy|impossible to please|read|impress
		be useless|grumpy|lost|hopeless|mess before|after|without VP
		have trouble|difficulty|hard|a problem VP
		work|write|think|sleep|concentrate|focus|study best|better|fastest|badly VP
		can not|never|barely|hardly cook|dance|sing|drive|swim|spell|whistle|multitask|concentrate|focus|function|lie|sit|write|work|sleep|draw VP
		can not|never say no VP
		can not|never|barely keep|tell secret|secrets|joke|jokes|plants|anything VP
		can not|never|barely remember names|faces|dates|birthdays|numbers VP
		could not|never keep|draw|sing|dance|cook VP
		not know how to VP
		never|not learn|learned to|how VP
		wear my heart VP
		suck at VP
		thrive on|under|in VP
		need|require silence|quiet|structure|deadlines|routine|order|solitude VP
		take everything|things|criticism|failure|myself|too|on VP
		take too much VP
		take on too much
		take things too VP`},
		{actComp, clear, `
		tend to VP
		have tendency|habit|knack|gift|talent to|of|for VP
		have a tendency|habit|knack|gift|talent to|of|for VP
		be kind|type|sort|one of person|people|reader|writer|man|woman|guy|girl|idiot|weirdo who|that VP
		be kind|type|sort|one of those|the people|persons|readers|writers who|that VP
		be the|one kind|type|sort|of those|person people|of person? who|that VP
		be somebody|someone who|that VP
		be a? person who|that VP
		be the type to VP
		be the one who VP
		can not help VP
		find it hard|difficult|easy|impossible to VP`},
	})
})

// enOwnTable: what becomes of the speaker by the subject; the forms start after the
// subject, whose name is the object of the claim.
var enOwnTable = sync.OnceValue(func() enTable {
	return enCompile([]enRule{
		{actLike, clear + 0.02, `
		be my|mine thing|weakness|jam|passion|hobby|escape|therapy|happy|outlet|anchor|obsession|everything|religion|medicine|sanctuary|refuge|bread|life|addiction|meditation|love|vice|pleasure|oxygen
		be my happy|safe place|space
		be my first|true|guilty|great|one comfort|love|pleasure|passion|indulgence|joy|weakness
		be my comfort food|show|read|film|movie|zone|blanket
		be my cup of tea
		be my go-to|speciality|specialty|weekend|daily ritual?
		be my way of|to VP
		be where|how|what|when|why i|we relax|unwind|switch|decompress|recharge|escape|live|enjoy|love|like|look|find|clear|wind|get|come|feel|keep|love VP
		be the? one|film|book|novel|movie|show|song|album|game|series|author|writer i|we come|keep|go|return|love|like VP
		be the? one i|we love|like|adore
		be good|great|wonderful|amazing|therapeutic for my head|mind|soul|mental|sanity|health|nerves
		be what recharge|relax|calm|ground|soothe|keep|make|help me VP
		be part of my life|day|routine|journey|identity|week
		be a must|essential for me
		be must for me
		be i one love
		mean a? lot|world|everything|much to me
		mean the|so world|much to me
		matter to me
		relax|calm|soothe|recharge|fascinate|ground|centre|center|refresh|energise|energize|inspire|intrigue|thrill|delight|comfort|captivate|enchant|excite|rejuvenate|motivate me
		cheer me up
		lift my spirits|mood
		keep me sane|going|grounded|happy|calm|fit|balanced|centred|centered|company|busy|young|alive|motivated|positive|honest
		make me happy|calm|smile|laugh|alive|peaceful|joyful|content
		make my day|week
		make me feel alive|free|calm|better|peace|home|happy|good|peaceful|human|connected|at
		bring|give me joy|peace|comfort|happiness|energy|calm|life|freedom|purpose|strength|pleasure|sense|solace|clarity|lift
		bring|give me so|such|lot|tons much|joy|of|sense VP
		help me relax|unwind|de-stress|destress|think|sleep|clear|express|focus|calm|escape|recharge|switch|cope|process|decompress|wind|stay|deal|feel|get
		never|not get old
		have heart
		have my heart
		work for me
		be important|special|dear|precious|close|sacred|therapeutic|calming|relaxing|comforting|cathartic to|for me|my
		speak to me
		do it for me
		be the best
		be all i need|want
		be i could VP
		run in my blood|veins`},
		{actMust, clear, `
		be something i|we can|could|would not|never live|do|miss|skip VP
		be i not live|do without`},
		{actFav, plainly, `
		be my number one
		be what i|we like|love|enjoy most|best
		be the one|thing i|we like|love|enjoy most|best
		be the one i like|love most|best`},
		{actDislike, clear, `
		be not for me
		be not my thing|style|jam|bag|scene|favourite|favorite|kind|idea|cup|type
		never|not do|work it|anything|much for me
		do nothing for me
		never|not appeal|interest to? me
		bore|annoy|irritate|drain|scare|terrify|disgust|exhaust|depress|infuriate|repel|bug|stress|frustrate|frighten me
		put me off|sleep|to sleep?
		drive me mad|crazy|nuts|insane|bonkers|bananas|up
		leave me cold
		give me creeps|headache|anxiety|nightmares|the creeps|hives
		get on my nerves
		get me down
		make me sick|cringe|anxious|gag|nervous|sneeze|uncomfortable|angry|yawn|shudder|itch|queasy
		freak|creep|stress|weird me out
		turn me off
		rub me up? the? wrong
		lose me`},
	})
})

// enFreeTable: forms without a subject that speaks.
var enFreeTable = sync.OnceValue(func() enTable {
	return enCompile([]enRule{
		{actMust, clear, `
		nothing beat|like OBJ
		nothing be better than OBJ
		nothing i|we like|love|enjoy more|better than OBJ
		there be nothing like|better OBJ
		there be nothing better than OBJ
		there be nothing i|we like|love|enjoy more|better than OBJ
		you can not beat OBJ
		can not beat OBJ`},
		{actLike, clear, `
		give me OBJ
		it be OBJ i like|love|enjoy`},
	})
})

// enStyles mark a way of telling. A phrase of the text that has one of them is a style.
var enStyles = enPhrases(`first_person first-person second_person second-person third_person third-person present_tense past_tense epistolary stream_of_consciousness stream-of-consciousness point_of_view points_of_view pov unreliable unreliable_narrator unreliable_narrators narrator narrators narration nonlinear non-linear flashback flashbacks monologue monologues
	dialogue_only all_dialogue in_dialogue without_dialogue no_dialogue diary_form letter_form told_in free_verse verse haiku haikus sonnet sonnets villanelle villanelles magical_realism omniscient open_ending open_endings open-ended happy_ending happy_endings slow_burn slow-burn cliffhanger cliffhangers vignettes fragments minimalism minimalist satire allegory twist_ending twist_endings plot_twist plot_twists multiple_viewpoints multiple_perspectives multiple_timelines dual_timelines
	storytelling prose_style flash_fiction short_sentences long_sentences parallel_timelines frame_story frame_narrative timeline timelines dialect prose_poem prose_poems prose_poetry blank_verse limerick limericks letters_between series_of_letters footnotes in_medias_res worldbuilding world-building deadpan rhyming_couplets reverse_order reverse_chronology dual_narrative`)

// Forms and techniques that are tried; together with enStyles they are what TRIED_STYLE speaks of.
var enTechniques = set(`watercolour watercolor watercolours watercolors acrylics oils pastels charcoal gouache abstract collage letters diary dialogue summary quotes poetry poems rhyme comic script screenplay songwriting memoir fantasy noir horror romance`)

// Traits, as adjectives and as nouns.
var (
	enTraitAdjs = set(`shy introverted extroverted stubborn patient impatient lazy curious organised organized disorganised disorganized messy tidy optimistic pessimistic forgetful competitive sensitive quiet talkative ambitious creative clumsy punctual honest blunt picky fussy cautious independent sentimental
		superstitious methodical practical restless resilient hopeless squeamish nosy vain stingy frugal generous loyal private reserved chatty bossy moody jumpy needy nostalgic old-fashioned low-maintenance high-maintenance outgoing social sociable antisocial unsociable solitary empathetic compassionate driven persistent
		indecisive impulsive spontaneous careful careless clingy sarcastic cynical skeptical sceptical gullible trusting scatterbrained absent-minded short-sighted tone-deaf self-taught self-conscious self-critical thin-skinned thick-skinned risk-averse detail-oriented introspective analytical artistic musical sporty outdoorsy bookish geeky nocturnal
		left-handed right-handed colour-blind color-blind colourblind colorblind vegetarian vegan bilingual ambidextrous dyslexic accident-prone easy-going easygoing laid-back laidback hot-headed short-tempered even-tempered hands-on headstrong bashful timid anxious-minded conscientious disciplined undisciplined undecided perfectionistic obsessive neat meticulous pragmatic idealistic
		rebellious shy-ish argumentative assertive passive decisive nonconfrontational non-confrontational confrontation-averse claustrophobic germaphobic workaholic adventurous adaptable flexible inflexible rigid thrifty wasteful gregarious aloof melancholic gloomy cheerful bubbly dramatic theatrical hyperactive fidgety slow thorough resourceful inquisitive imaginative soft-hearted softhearted warm-hearted tender-hearted oversensitive emotional unemotional stoic
		camera-shy people-shy money-conscious health-conscious early-rising open-minded close-minded narrow-minded single-minded strong-willed weak-willed hard-working hardworking industrious unorganised unorganized unadventurous unromantic romantic affectionate humble modest arrogant proud-hearted jealous possessive suspicious mistrustful paranoid`)
	// Adjectives of a noun phrase only ("a morning person").
	enTraitMods  = set(`morning night people evening early glass-half-full outdoor outdoors indoor indoors big-picture visual hands-on details ideas numbers last-minute nervous anxious happy positive negative spiritual religious calm cold confident kind warm strong private busy-minded list loud lone routine structured logical physical tactile emotional social`)
	enTraitNouns = set(`perfectionist introvert extrovert extravert ambivert optimist pessimist realist procrastinator planner pantser plotter learner listener thinker dreamer romantic homebody loner rebel pushover chatterbox bookworm lightweight klutz softie softy stickler skeptic sceptic worrier worrywart minimalist maximalist vegetarian vegan pescatarian coward freak workaholic riser owl bird
		creature hermit nerd geek foodie insomniac feminist hoarder drafter outliner overthinker over-thinker people-pleaser pleaser procrastinator tinkerer fidgeter sleeper sleepyhead wimp control-freak idealist cynic traditionalist daydreamer daydreamer extremist scaredy-cat scaredy crier talker blabbermouth sharer hugger leader follower team-player player multitasker self-starter go-getter doer latecomer lister
		eater cook driver starter finisher loser winner singer dancer liar improviser hot-head hothead atheist christian buddhist muslim agnostic polyglot lefty southpaw snob purist completionist spendthrift saver cheapskate penny-pincher neat-freak fanatic adrenaline-junkie thrill-seeker eternal-optimist night-owl early-bird soul wallflower butterfly goof goofball clown joker prankster teetotaller teetotaler snorer writer reader reviser editor`)
	// Nouns that one has, or has not, as a trait.
	enTraitHave = set(`memory span tooth direction humour humor rhythm timing temper patience willpower discipline imagination self-control confidence self-confidence stamina filter fright syndrome phobia fuse ambition coordination sense anxiety fear intuition ear eye empathy tolerance attention face stubborn streak perfectionism heart competitive`)
	// Not traits: moods, states, places in the day.
	enTooGeneral = set(`fan bit lot great lucky new good nice first last only little kind same`)
	// Roles that say who one is.
	enRoles = set(`student teacher engineer nurse doctor designer translator artist painter musician baker runner swimmer hiker gardener traveller traveler collector mom mum mother dad father parent librarian programmer developer lawyer journalist photographer manager accountant scientist poet novelist barista carpenter chef counselor counsellor member volunteer banker dropout gambler farmer welder plumber trainer coach waiter waitress actor actress tailor sailor soldier pilot veteran survivor mentor freelancer
		founder owner professor tutor nanny widow orphan twin immigrant refugee newbie beginner amateur`)
)

// Works of one's own and what is wrong with them.
var (
	enAspects = set(`writing plot plots dialogue dialogues pacing prose chapter chapters character characters ending endings opening openings beginning beginnings draft drafts story stories sentence sentences style poem poems essay essays novel verse verses paragraph paragraphs description descriptions metaphor metaphors structure tone voice middle title titles painting paintings drawing drawings sketch sketches
		handwriting scene scenes narrator narrators villain villains hero heroes heroine protagonist joke jokes rhyme rhymes stanza stanzas argument arguments transition transitions lyrics script act acts melody melodies song songs photos photographs glaze brushwork perspective shading composition colours colors lines hands faces portraits landscapes translation translations blog posts manuscript outline outlines exposition worldbuilding backstory imagery cover bowl bowls vase plate pot pots cup mug`)
	enBads = set(`dead flat boring dull stiff wooden weak rushed clunky clumsy thin predictable clichéd cliched cliche cliché clichés sloppy slow forced awkward repetitive messy confusing shallow stilted bland bad terrible awful rubbish lifeless overwritten overwrought purple heavy-handed uneven muddy amateurish mess disaster sentimental wordy long-winded derivative generic vague cheesy corny preachy melodramatic tedious contrived crooked wonky lopsided wobbly
		wrong mechanical robotic cold abrupt choppy disjointed incoherent bloated unconvincing unbelievable two-dimensional one-dimensional cardboard paper-thin on-the-nose pretentious simplistic childish limp sagging baggy lousy horrible ugly garbage trash crap same samey monotonous formulaic tired stale unnatural unfinished hollow pointless directionless underdeveloped superficial inconsistent illegible blurry overexposed underexposed meandering unclear rough`)
	enFlawVerbs = set(`lack drag sag wander limp collapse fizzle peter ramble`)
)

// enReplyNouns head what one likes about what another said or showed, not a taste.
var enReplyNouns = set(`idea plan thought fact view photo photos picture pictures pic pics name vibe vibes question suggestion attitude spirit energy sound look way part moment place spot thing things stuff one ones bit message story post outfit dress hair haircut shirt necklace job work results result feeling news design support advice perspective enthusiasm weather time day night morning evening party trip gift present guy man woman kid kids wife husband mom mum dad mother father brother sister son daughter friend friends boss team company
	people person someone boyfriend girlfriend parents grandma grandpa baby family kindness words company effort choice decision fault hobby options ways bottom chance life world anything everything something`)
