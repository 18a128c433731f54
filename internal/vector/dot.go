package vector

// lanes is how many sums a product is made of: number j of a vector goes into sum j mod
// lanes, in the order of j. This order is part of the package's promise, for it decides
// the last bits: every processor gives the same product. So no addition here may be
// fused with its multiplication (the conversions forbid it), and dots4 keeps to it.
const lanes = 8

// dot is the product of two vectors of one length, a multiple of lanes.
func dot(q, v []float32) float64 {
	var a, b, c, d, e, f, g, h float32
	for len(q) >= lanes && len(v) >= lanes {
		a += float32(q[0] * v[0])
		b += float32(q[1] * v[1])
		c += float32(q[2] * v[2])
		d += float32(q[3] * v[3])
		e += float32(q[4] * v[4])
		f += float32(q[5] * v[5])
		g += float32(q[6] * v[6])
		h += float32(q[7] * v[7])
		q, v = q[lanes:], v[lanes:]
	}
	return float64(((a + e) + (c + g)) + ((b + f) + (d + h)))
}
