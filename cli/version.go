package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"membench/schema"

	"github.com/spf13/cobra"
)

// release is set by the linker for released binaries.
var release = "dev"

func newVersionCmd(e *env) *cobra.Command {
	c := verb("version", "Print version, revision and schema versions", cobra.NoArgs, func(*cobra.Command, []string) error {
		v := buildVersion()
		if e.json {
			return writeJSON(e.out, v)
		}
		_, err := fmt.Fprintf(e.text(), "membench %s\nrevision %s\nschema %v\n%s %s/%s\n", v.Release, v.Revision, v.Schemas, v.Go, v.OS, v.Arch)
		return err
	})
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

type buildInfo struct {
	Release  string           `json:"release"`
	Revision string           `json:"revision"` // VCS revision; "+dirty" for a changed tree; "unknown" outside one
	Schemas  []schema.Version `json:"schemas"`
	Go       string           `json:"go"`
	OS       string           `json:"os"`
	Arch     string           `json:"arch"`
}

func buildVersion() buildInfo {
	v := buildInfo{Release: release, Revision: "unknown", Schemas: schema.Versions(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty {
		v.Revision += "+dirty"
	}
	return v
}
