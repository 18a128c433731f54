// Package data holds the dialogues that are bundled with the program.
package data

import "embed"

// Demo is the demo project: data/demo/membench.yaml and its sources.
//
//go:embed demo
var Demo embed.FS
