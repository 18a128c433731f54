package service_test

// uncompared are the specs whose vendor has no client for them in the package index.
var uncompared = map[string]string{
	"graphiti": "`graphiti-core` 0.31.2 is the library, which speaks to the graph database itself; no package holds a client of the FastAPI server",
	"mem0-1":   "`mem0ai`'s client speaks to the platform alone; the spec is held against pairs recorded from a real server instead (TestRecorded)",
	"mem0-2":   "`mem0ai`'s client speaks to the platform alone; the spec is held against pairs recorded from a real server instead (TestRecorded)",
	"memos":    "`MemoryOS` 2.0.33, which is MemOS, holds a client of the cloud alone (`memos-cloud`); `memos` 0.37.0 is another project of that name (Pensieve)",
}

const (
	itsDefault = "the client's own default, which is the server's too"
	harmless   = "sending it twice changes nothing, so no key is sent"
)

// reasons say why a spec and a client differ: by spec and client, by difference; "all"
// stands for every difference.
var reasons = map[string]map[string]string{
	"cognee cognee 1.6.5": {
		"GET /api/v1/datasets/{}/data: the client's alone": "it lists the uploads, not what was made of them: no list of memories",
	},
	"everos everos 0.4.0": {
		"all": "the client speaks to the vendor's cloud, API v1; the spec to the open-source server, v2, which has no client of its own",
	},
	"hindsight hindsight-client 1.1.0": {
		"POST /v1/default/banks/{}/memories body/items/*/resolve_entities: the client's alone": itsDefault,
		"POST /v1/default/banks/{}/memories/recall body/tags_match: the client's alone":        itsDefault + "; no tags are asked for",
		"POST /v1/default/banks/{}/memories/recall body/trace: the client's alone":             itsDefault,
	},
	"letta-agent letta-client 1.12.1": {
		"GET /v1/agents/{}/core-memory/blocks: the client's alone": "an agent remembers in blocks, in its archive and in its conversation: no list of one is a list of its memory",
	},
	"mem0-platform mem0ai 1.0.11": {
		"all": "the client of the API before v3 (v1 adds, v2 searches and lists); the spec follows v3, as client 2 does",
	},
	"mem0-platform mem0ai 2.2.1": {
		"GET /v1/event/{}/: the spec's alone": "the client does not wait for an add; a measurement must (the platform's OpenAPI has the call)",
	},
	"memobase memobase 0.0.27": {
		"GET /api/v1/users/profile/{} query/max_token_size: the client's alone":                          "the client cuts the profile to 1,000 tokens; an export wants all of it",
		`POST /api/v1/blobs/insert/{} query/wait_process: the spec sends "true", the client "True"`:      "the server reads both as true",
		`POST /api/v1/users/buffer/{}/chat query/wait_process: the spec sends "true", the client "True"`: "the server reads both as true",
	},
	"memos-cloud MemoryOS 2.0.33": {
		"POST /api/openmem/v1/search/memory body/preference_limit_number: the client's alone":  "no preferences are asked for: their number decides nothing",
		"POST /api/openmem/v1/search/memory body/skill_limit_number: the client's alone":       "no skills are asked for: their number decides nothing",
		"POST /api/openmem/v1/search/memory body/tool_memory_limit_number: the client's alone": "no tool memories are asked for: their number decides nothing",
	},
	"supermemory supermemory 3.62.0": {
		"POST /v3/documents/list: the client's alone": "it lists documents; what is measured is the memories made of them",
		"POST /v4/memories/list: the spec's alone":    "the client has no call for it; the vendor's published schemas have",
	},
	"zep-v4 zep-cloud 4.0.1": {
		"DELETE /api/v4/users/{} header/Idempotency-Key: the client's alone":             harmless,
		"POST /api/v4/graphs/{}/edges/list header/Idempotency-Key: the client's alone":   harmless,
		"POST /api/v4/graphs/{}/search/edges header/Idempotency-Key: the client's alone": harmless,
		"POST /api/v4/threads header/Idempotency-Key: the client's alone":                "a thread made twice stays empty and disturbs nothing",
		"POST /api/v4/users header/Idempotency-Key: the client's alone":                  "a user made twice stays empty and disturbs nothing",
		"POST /api/v4/users/list header/Idempotency-Key: the client's alone":             harmless,
	},
}
