module membench/tools

go 1.26.0

require (
	github.com/santhosh-tekuri/jsonschema/v5 v5.3.1
	membench v0.0.0
)

require (
	github.com/blevesearch/snowballstem v0.9.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/goccy/go-json v0.12.0 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/sashabaranov/go-openai v1.43.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace membench => ../
