package validate_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"membench/schema"
	"membench/schema/validate"
)

// mixed is a file of n records in the shapes of the seed, three quarters Chinese.
func mixed(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		text := fmt.Sprintf("[User] 今天天气很好我们一起去公园散步喜欢咖啡和音乐 %d", i)
		hash := schema.Hash(text)
		switch i % 10 {
		case 0, 1, 2:
			fmt.Fprintf(&b, `{"scene_id": "chill_ai_chat", "character_id": "congyin", "conv_id": "ch%02d", "turn_id": %d, "role_type": "human", "role_name": "我", "content": "%s", "tags": ["episodic"], "meta": {"speech_mode": "dialogue", "source_path": "a.md", "start_line": 1, "end_line": 2}}`, i/10, i%10+1, text)
		case 3, 4:
			fmt.Fprintf(&b, `{"id": "06eb0189-e0cd-4516-af48-%012d", "payload": {"scene_id": "s", "character_id": "c", "conv_id": "ch02", "user_id": "u", "agent_id": "c", "data": "%s", "hash": "%s", "created_at": "2026-02-24T06:33:58.595077-08:00"}, "collection": "m", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`, i, text, hash)
		case 5, 6:
			fmt.Fprintf(&b, `{"record_type":"claim","claim_id":"claim:PREFERS_TOPIC|daily|agent:c|tag:咖啡%d","predicate":"PREFERS_TOPIC","subject":{"entity_type":"Agent","entity_id":"agent:c"},"object":{"entity_type":"Tag","entity_id":"tag:咖啡%d"},"domain":"daily","confidence":0.86,"status":"active","rank":null,"updated_at":"2026-02-24T18:22:22Z","evidence":[{"memory_item_id":"mem:%s","point_id":"p","conv_id":"ch02","scene_id":"s","created_at":"2026-02-24T18:21:58Z","text":"%s"}]}`, i, i, hash, text)
		case 7:
			fmt.Fprintf(&b, `{"record_type":"entity","entity_type":"Tag","entity_id":"tag:咖啡%d","props":{"name":"咖啡%d","display":"咖啡"},"aliases":[],"tags":[],"confidence":0.85}`, i, i)
		case 8:
			fmt.Fprintf(&b, `{"id": "mem:%s", "labels": ["MemoryItem"], "props": {"point_id": "p", "payload_hash": "%s", "data": "%s", "created_at": "2026-02-24T06:33:58.595077-08:00"}}`, hash, hash, text)
		case 9:
			fmt.Fprintf(&b, `{"id": "edge:OWNS_MEMORY:char:c:mem:%s", "type": "OWNS_MEMORY", "src": "char:c", "dst": "mem:%s", "props": {"processed_key": "%s", "created_at": "2026-02-24T06:33:58Z"}}`, hash, hash, hash)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func BenchmarkStream(b *testing.B) {
	text := mixed(20000)
	if name := os.Getenv("VALIDATE_BENCH"); name != "" { // any file
		var err error
		if text, err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	records := bytes.Count(text, []byte{'\n'})
	for _, c := range []struct {
		name string
		o    validate.Options
	}{{"schema", validate.Options{SchemaOnly: true}}, {"all", validate.Options{}}, {"schema2", validate.Options{SchemaOnly: true, Workers: 2}}, {"all2", validate.Options{Workers: 2}}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				checker := validate.New(cat, c.o)
				for f, err := range checker.Stream(bytes.NewReader(text), "f.jsonl", "", schema.V010) {
					if err != nil {
						b.Fatal(err)
					}
					_ = f
				}
				for range checker.Close() {
				}
			}
			b.ReportMetric(float64(records*b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
