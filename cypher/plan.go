package cypher

import "membench/graph"

// A Form is how the rows of a statement are written: as literals in a script, or as the parameter of a load over Bolt. The statements themselves are defined
// once, here.
type Form struct {
	ID, Src, Dst string      // expressions of an element's id and an edge's ends, scope included
	Props        string      // expression of the properties
	Type         string      // expression of an edge's type where rows differ in it: for Fresh, from Neo4j 5.26 on
	Add          [][2]string // names and expressions of properties that Props lacks
	Fresh        bool        // elements are created: the scope holds none of them
	Guard        bool        // another program's element that has one of our ids stays unchanged
}

// Marked is the condition that x was written by this program.
func Marked(x string) string { return x + "." + graph.HashProp + " IS NOT NULL" }

// Nodes appends the clauses that store each row as a node with the base label and the given ones.
func (f Form) Nodes(dst []byte, labels []string) []byte {
	dst = f.set(f.find(dst, "(n:"+BaseLabel, "n", ")"), "n")
	for i, l := range labels {
		if i == 0 {
			dst = append(dst, ", n"...)
		}
		dst, _ = AppendName(append(dst, ':'), l)
	}
	return dst
}

// Edges appends the clauses that store each row as a relationship between two nodes that this program wrote. Both ends are matched first, so a row with a
// missing end does nothing.
func (f Form) Edges(dst []byte, typ string) []byte {
	dst = append(dst, "MATCH (a:"+BaseLabel+" {id: "+f.Src+"}) WHERE "+Marked("a")+" MATCH (b:"+BaseLabel+" {id: "+f.Dst+"}) WHERE "+Marked("b")+"\n"...)
	name, _ := AppendName(nil, typ)
	if f.Type != "" {
		name = []byte("$(" + f.Type + ")")
	}
	return f.set(f.find(dst, "(a)-[r:"+string(name), "r", "]->(b)"), "r")
}

// find makes x, or finds it by its id. To create is about 1.5 times as fast; an id that
// is there after all breaks the constraint.
func (f Form) find(dst []byte, open, x, close string) []byte {
	if f.Fresh {
		return append(dst, "CREATE "+open+close...)
	}
	dst = append(dst, "MERGE "+open+" {id: "+f.ID+"}"+close...)
	if f.Guard {
		dst = append(dst, " ON CREATE SET "+x+"."+graph.HashProp+" = ''\nWITH row, "+x+" WHERE "+Marked(x)...)
	}
	return dst
}

func (f Form) set(dst []byte, x string) []byte {
	dst = append(dst, "\nSET "+x+" = "+f.Props...)
	for _, a := range f.Add {
		dst = append(dst, ", "+x+"."+a[0]+" = "+a[1]...)
	}
	return dst
}
