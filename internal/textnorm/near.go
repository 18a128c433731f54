package textnorm

// Near reports whether a name may be a misspelt other one: it differs by at most two letters, and by at most one in four.
func Near(name, meant string) bool {
	return name != meant && max(len(name)-len(meant), len(meant)-len(name)) <= 2 && distance(name, meant) <= min(2, len(meant)/4)
}

// distance is how many letters must be inserted, deleted, replaced or exchanged with their neighbour.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
