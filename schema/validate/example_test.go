package validate_test

import (
	"context"
	"fmt"
	"strings"

	"membench/schema"
	"membench/schema/validate"
)

func ExamplePaths() {
	text := `{"id": "topic:tea", "labels": ["Topic"], "props": {"name": "tea"}}` + "\nnope\n"
	checked, err := validate.Paths(context.Background(), []string{"-"}, validate.PathOptions{Stdin: strings.NewReader(text), Kind: schema.KindNode},
		func(f *schema.Finding) { fmt.Println(f.Code, "on line", f.Pos.Line) })
	fmt.Println(len(checked.Files), err)
	// Output:
	// JSON001 on line 2
	// 1 <nil>
}
