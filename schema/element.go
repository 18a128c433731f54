package schema

import "membench/internal/codec"

// Node goes to Neo4j with its labels. Key: id.
type Node struct {
	ID     NodeID   `json:"id"`
	Labels []string `json:"labels"`
	Props  Object   `json:"props"`
	Extra  Extra    `json:",embed"`
}

// At returns n: its members are the same in every version.
func (n Node) At(Version) Node { return n }

// Edge goes to Neo4j as a relationship of its type. Key: id.
type Edge struct {
	ID    EdgeID `json:"id"`
	Type  string `json:"type"`
	Src   NodeID `json:"src"`
	Dst   NodeID `json:"dst"`
	Props Object `json:"props"`
	Extra Extra  `json:",embed"`
}

// At returns e: its members are the same in every version.
func (e Edge) At(Version) Edge { return e }

// Element is one line of a graph: exactly one field is set.
type Element struct {
	Node *Node
	Edge *Edge
}

// ID is the id of whichever is set.
func (e Element) ID() string {
	if e.Node != nil {
		return string(e.Node.ID)
	}
	if e.Edge != nil {
		return string(e.Edge.ID)
	}
	return ""
}

// IsZero reports whether neither is set.
func (e Element) IsZero() bool { return e.Node == nil && e.Edge == nil }

// At returns e: its members are the same in every version.
func (e Element) At(Version) Element { return e }

func (e Element) MarshalJSON() ([]byte, error) {
	if e.Node != nil {
		return codec.Append(nil, e.Node, codec.Compact)
	}
	return codec.Append(nil, e.Edge, codec.Compact)
}

// UnmarshalJSON distinguishes edges from nodes by the members src and dst.
func (e *Element) UnmarshalJSON(b []byte) error {
	for k := range codec.Members(b) {
		if k == "src" || k == "dst" || k == "type" {
			e.Edge = new(Edge)
			return codec.Unmarshal(b, e.Edge)
		}
	}
	e.Node = new(Node)
	return codec.Unmarshal(b, e.Node)
}

// Operations of a Change.
const (
	OpPut    = "put"
	OpDelete = "delete"
)

// Change is one step from one graph to another: diff prints changes, a delta load sends them, a graph memory writes them. A put without Old adds; with Old it
// replaces.
type Change struct {
	Op  string  `json:"op"`
	Old Element `json:"old,omitzero"`
	New Element `json:"new,omitzero"`
}

// At returns c: changes exist since 0.1.0 only.
func (c Change) At(Version) Change { return c }
