package schema

// Labels of the chain's own nodes, by which Ref.Type names people too. The catalogue
// (catalog.yaml) has their prefixes, roles and properties, and the labels of things.
// Migrations spell out the names of the version that they read.
const (
	LabelMemoryItem   = "MemoryItem"
	LabelUser         = "User"
	LabelAgent        = "Agent"
	LabelPerson       = "Person"
	LabelConversation = "Conversation"
	LabelScene        = "Scene"
	LabelCharacter    = "Character"
	LabelClaim        = "Claim"
	LabelDomain       = "Domain"
	LabelPredicate    = "Predicate"
	LabelEvent        = "Event"
	LabelSource       = "Source"
	LabelSession      = "Session"
	LabelProbe        = "Probe"
	LabelInject       = "Inject"
	LabelFailure      = "Failure"
)

// Types of the chain's own edges; the catalogue has their ends and roles.
const (
	EdgeOwnsMemory       = "OWNS_MEMORY"
	EdgeFromConv         = "FROM_CONV"
	EdgeInScene          = "IN_SCENE"
	EdgeHasCharacter     = "HAS_CHARACTER"
	EdgeConvInScene      = "CONV_IN_SCENE"
	EdgeConvHasCharacter = "CONV_HAS_CHARACTER"
	EdgeActor            = "ACTOR"
	EdgeUserInScene      = "USER_IN_SCENE"
	EdgeHasDomain        = "HAS_DOMAIN"
	EdgeHasPredicate     = "HAS_PREDICATE"
	EdgeHasClaim         = "HAS_CLAIM"
	EdgeAbout            = "ABOUT"
	EdgeEvidencedBy      = "EVIDENCED_BY"
	EdgeSupersededBy     = "SUPERSEDED_BY"
	EdgeFromEvent        = "FROM_EVENT"
	EdgeInSource         = "IN_SOURCE"
	EdgeInConv           = "IN_CONV"
	EdgeInSession        = "IN_SESSION"
	EdgeNext             = "NEXT"
	EdgeReplyTo          = "REPLY_TO"
	EdgeAsks             = "ASKS"
	EdgePlants           = "PLANTS"
	EdgeExpects          = "EXPECTS"
	EdgeGoldPath         = "GOLD_PATH"
	EdgeBrokeAt          = "BROKE_AT"
	EdgeRetrieved        = "RETRIEVED"
	EdgeSpoke            = "SPOKE"
)
