package cli

import (
	"os"
	"path/filepath"
	"testing"

	"membench/internal/exttest"
	"membench/memory/mem0/qdrant/qdranttest"
	"membench/memory/mem0/rest/resttest"
	"membench/memory/service/servicetest"
	"membench/schema"
	"membench/scripts/spark"

	pb "github.com/qdrant/go-client/qdrant"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary act as membench when a script runs it.
func TestMain(m *testing.M) {
	testscript.Main(withNeo4j{m}, map[string]func(){
		"membench": func() {
			killAtStep()
			Main()
		},
	})
}

// TestScripts runs every txtar script of the folder: the whole command line, one
// behaviour a file. UPDATE_SCRIPTS=1 rewrites the goldens in them.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts found (%v)", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	qd, ca := qdranttest.NewTLS(t) // one for all: a script uses collections of its own
	qd.Key = "MARKED-qdrant-script"
	qd.Put("filled", &pb.PointStruct{Id: pb.NewIDUUID("00000000-0000-4000-8000-000000000001"), Vectors: pb.NewVectors(1, 0),
		Payload: pb.NewValueMap(map[string]any{"data": "[User] I like tea.", "hash": schema.Hash("[User] I like tea."), "user_id": "u"})})
	mem0s := map[string]*resttest.Server{"MEM0_OSS": resttest.New(t, resttest.OSS2), "MEM0_OLD": resttest.New(t, resttest.OSSOld)} // likewise: users of their own
	for _, s := range mem0s {
		s.Key = servicetest.Key
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			srv := stubModels("sk-MARKED-script") // a model for scripts: STUB, with the key STUB_KEY
			env.Defer(srv.Close)
			env.Setenv("STUB", srv.BaseURL())
			env.Setenv("STUB_KEY", srv.Key)
			for name, system := range map[string]string{"MEM0_STUB": "mem0-2", "LETTA_STUB": "letta-archival", "PLATFORM_STUB": "mem0-platform"} { // memory services
				stub := servicetest.New(system)
				env.Defer(stub.Close)
				env.Setenv(name, stub.Base())
			}
			env.Setenv("SPARK_PYTHON", exttest.SparkPython())
			env.Setenv("SPARK_JOBS", filepath.Join(root, "scripts", "spark", spark.Main))
			env.Setenv("SERVICE_KEY", servicetest.Key)
			for name, s := range mem0s {
				env.Setenv(name, s.URL)
			}
			env.Setenv("QDRANT_STUB", "https://"+qd.Addr)
			env.Setenv("QDRANT_KEY", qd.Key)
			if err := os.WriteFile(filepath.Join(env.WorkDir, "ca.pem"), ca, 0o666); err != nil {
				return err
			}
			env.Setenv("REPO", root) // scripts read bundled data from here
			return nil
		},
		Cmds:      map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": cmdExits, "neo4j": cmdNeo4j},
		Condition: condition,
	})
}

// cmdExits runs a program and wants exactly the exit code: exits CODE PROGRAM ARG...
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		code = exitCodeOf(err)
	}
	if want := args[0]; want != itoa(code) {
		ts.Fatalf("exit code: have %d, want %s", code, want)
	}
}
