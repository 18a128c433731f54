package stats

import (
	"bufio"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

const eps = 1e-9

func near(t *testing.T, what string, have, want, tol float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(have) || math.Abs(have-want) > tol {
		t.Errorf("%s: have %v, want %v", what, have, want)
	}
}

// rows decodes a file of vectors; a file without rows fails.
func rows[T any](t *testing.T, file string) (out []T) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, v)
	}
	if s.Err() != nil || len(out) == 0 {
		t.Fatalf("%s: %d rows, %v", file, len(out), s.Err())
	}
	return out
}

// num reads a number, null (undefined) or "Infinity".
type num float64

func (n *num) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*n = num(math.NaN())
		return nil
	case `"Infinity"`:
		*n = num(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

func TestGoldenWilson(t *testing.T) {
	type row struct {
		ID                           string
		K, N                         int
		Wilson95, Wilson99, Wilson90 [2]float64
		CC                           [2]float64 `json:"wilsoncc95"`
		CP                           [2]float64 `json:"clopper_pearson95"`
	}
	for _, r := range rows[row](t, "stats_wilson.jsonl") {
		for _, c := range []struct {
			what string
			in   Interval
			want [2]float64
		}{{"wilson95", Wilson(r.K, r.N, .95), r.Wilson95}, {"wilson99", Wilson(r.K, r.N, .99), r.Wilson99}, {"wilson90", Wilson(r.K, r.N, .9), r.Wilson90},
			{"wilsoncc95", WilsonCC(r.K, r.N, .95), r.CC}, {"clopper_pearson95", ClopperPearson(r.K, r.N, .95), r.CP}} {
			near(t, r.ID+" "+c.what+" lo", c.in.Lo, c.want[0], eps)
			near(t, r.ID+" "+c.what+" hi", c.in.Hi, c.want[1], eps)
		}
	}
}

func TestGoldenMcNemar(t *testing.T) {
	type row struct {
		ID        string
		B, C      int
		ExactStat float64 `json:"exact_stat"`
		Exact     float64 `json:"exact_p"`
		Corrected [2]num  `json:"chi2_corrected"`
		Chi2      [2]num
		MidP      float64
	}
	for _, r := range rows[row](t, "stats_mcnemar.jsonl") {
		m := McNemar(r.B, r.C)
		near(t, r.ID+" statistic", float64(min(m.B, m.C)), r.ExactStat, eps)
		near(t, r.ID+" exact", m.Exact, r.Exact, eps)
		near(t, r.ID+" midp", m.MidP, r.MidP, eps)
		if r.B+r.C == 0 { // statsmodels says ∞ and p 0: nonsense, see McNemar
			if m.CorrectedP != 1 || m.Chi2P != 1 {
				t.Errorf("%s: p of nothing is %v, %v", r.ID, m.CorrectedP, m.Chi2P)
			}
			continue
		}
		near(t, r.ID+" corrected", m.Corrected, float64(r.Corrected[0]), eps)
		near(t, r.ID+" corrected p", m.CorrectedP, float64(r.Corrected[1]), eps)
		near(t, r.ID+" chi2", m.Chi2, float64(r.Chi2[0]), eps)
		near(t, r.ID+" chi2 p", m.Chi2P, float64(r.Chi2[1]), eps)
	}
}

func TestGoldenHolm(t *testing.T) {
	type row struct {
		ID   string
		P    []float64
		Holm []float64 `json:"holm_adj"`
		Rej  []bool    `json:"holm_reject"`
		BH   []float64 `json:"bh_adj"`
		Bonf []float64 `json:"bonferroni_adj"`
	}
	for _, r := range rows[row](t, "stats_holm.jsonl") {
		holm, bh, bonf := Holm(r.P), BenjaminiHochberg(r.P), Bonferroni(r.P)
		for i := range r.P {
			near(t, r.ID+" holm", holm[i], r.Holm[i], eps)
			near(t, r.ID+" bh", bh[i], r.BH[i], eps)
			near(t, r.ID+" bonferroni", bonf[i], r.Bonf[i], eps)
			if (holm[i] <= .05) != r.Rej[i] {
				t.Errorf("%s: test %d: %v, rejected %v", r.ID, i, holm[i], r.Rej[i])
			}
		}
	}
}

func TestGoldenKappa(t *testing.T) {
	type row struct {
		ID, Type      string
		Table, Counts [][]int
		Kappa         num
		SE            num `json:"std_kappa"`
		Lo            num `json:"kappa_low"`
		Hi            num `json:"kappa_upp"`
		Randolph      float64
	}
	for _, r := range rows[row](t, "stats_kappa.jsonl") {
		if r.Type == "fleiss" {
			k, free := Fleiss(r.Counts)
			near(t, r.ID+" kappa", k, float64(r.Kappa), eps)
			near(t, r.ID+" randolph", free, r.Randolph, eps)
			continue
		}
		k := Cohen(r.Table, .95)
		near(t, r.ID+" kappa", k.K, float64(r.Kappa), eps)
		near(t, r.ID+" se", k.SE, float64(r.SE), eps)
		near(t, r.ID+" lo", k.CI.Lo, float64(r.Lo), eps)
		near(t, r.ID+" hi", k.CI.Hi, float64(r.Hi), eps)
	}
}

func TestGoldenPercentile(t *testing.T) {
	type row struct {
		ID     string
		Values []float64
		Linear map[string]float64
		Mean   float64
		Median float64
		Pop    num `json:"std_pop"`
		Sample num `json:"std_sample"`
	}
	for _, r := range rows[row](t, "stats_percentile.jsonl") {
		near(t, r.ID+" mean", Mean(r.Values), r.Mean, eps)
		near(t, r.ID+" median", Percentile(r.Values, 50), r.Median, eps)
		near(t, r.ID+" std population", StdPopulation(r.Values), float64(r.Pop), eps)
		near(t, r.ID+" std sample", StdSample(r.Values), float64(r.Sample), eps)
		for q, want := range r.Linear {
			var x float64
			if err := json.Unmarshal([]byte(q), &x); err != nil {
				t.Fatal(err)
			}
			near(t, r.ID+" p"+q, Percentile(r.Values, x), want, eps)
		}
	}
}

// What the golden folder has no vector for, from scipy and statsmodels: testdata/independent.py.
func TestIndependent(t *testing.T) {
	type row struct {
		Kind         string
		K, N         json.RawMessage
		B, C         int
		P, Q, X      float64
		CDF, PMF     float64
		Conf, Lo, Hi float64
		Exact        float64
		Corrected    float64
		CorrectedP   float64 `json:"corrected_p"`
		Chi2         float64
		Chi2P        float64 `json:"chi2_p"`
		Table        [][]int
		Kappa, SE    float64
		Sums         []float64
	}
	integer := func(b json.RawMessage) (i int) { json.Unmarshal(b, &i); return }
	seen := map[string]int{}
	for _, r := range rows[row](t, "independent.jsonl") {
		seen[r.Kind]++
		switch r.Kind {
		case "normal":
			near(t, "quantile", NormalQuantile(r.P), r.Q, eps)
		case "chi2":
			near(t, "chi2 tail", ChiSquareTail(r.X), r.P, 1e-12)
		case "binomial":
			near(t, "cdf", BinomialCDF(integer(r.K), integer(r.N), r.P), r.CDF, eps)
			near(t, "pmf", BinomialPMF(integer(r.K), integer(r.N), r.P), r.PMF, eps)
		case "clopper":
			in := ClopperPearson(integer(r.K), integer(r.N), r.Conf)
			near(t, "clopper lo", in.Lo, r.Lo, eps)
			near(t, "clopper hi", in.Hi, r.Hi, eps)
		case "mcnemar":
			m := McNemar(r.B, r.C)
			near(t, "exact", m.Exact, r.Exact, eps)
			near(t, "corrected", m.Corrected, r.Corrected, eps)
			near(t, "corrected p", m.CorrectedP, r.CorrectedP, eps)
			near(t, "chi2", m.Chi2, r.Chi2, eps)
			near(t, "chi2 p", m.Chi2P, r.Chi2P, eps)
		case "cohen":
			k := Cohen(r.Table, .95)
			near(t, "kappa", k.K, r.Kappa, eps)
			near(t, "kappa se", k.SE, r.SE, eps)
			near(t, "kappa lo", k.CI.Lo, r.Lo, eps)
			near(t, "kappa hi", k.CI.Hi, r.Hi, eps)
		case "bootstrap":
			var n []int
			if err := json.Unmarshal(r.N, &n); err != nil {
				t.Fatal(err)
			}
			clusters := make([]Cluster, len(n))
			for i := range n {
				clusters[i] = Cluster{Sum: r.Sums[i], N: n[i]}
			}
			in := BootstrapMean(clusters, 20_000, 1, .95)
			near(t, "bootstrap lo", in.Lo, r.Lo, 0.003) // both are draws
			near(t, "bootstrap hi", in.Hi, r.Hi, 0.003)
		}
	}
	for _, k := range []string{"normal", "chi2", "binomial", "clopper", "mcnemar", "cohen", "bootstrap"} {
		if seen[k] == 0 {
			t.Errorf("no row of kind %s", k)
		}
	}
}

func TestNothingIsUndefined(t *testing.T) {
	for what, v := range map[string]float64{"mean": Mean(nil), "population": StdPopulation(nil), "sample of one": StdSample([]float64{1}), "percentile": Percentile(nil, 50),
		"kappa": Cohen([][]int{{0, 0}, {0, 0}}, .95).K, "kappa of one class": Cohen([][]int{{5, 0}, {0, 0}}, .95).K, "bootstrap of one": BootstrapMean([]Cluster{{Sum: 1, N: 2}}, 100, 1, .95).Lo} {
		if !math.IsNaN(v) {
			t.Errorf("%s: %v, want NaN", what, v)
		}
	}
	for _, c := range [][][]int{nil, {{}}, {{1, 0}, {1, 0}}} {
		if k, r := Fleiss(c); !math.IsNaN(k) || !math.IsNaN(r) {
			t.Errorf("Fleiss of %v: %v, %v", c, k, r)
		}
	}
	if in := Wilson(0, 0, .95); in != (Interval{0, 1}) {
		t.Errorf("Wilson of nothing: %v", in)
	}
	if p, _ := RoganGladen(5, 10, Rates{6, 10, 5, 10}, .95); !math.IsNaN(p) {
		t.Errorf("corrected by a judge worse than chance: %v", p)
	}
}

func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + r.IntN(400)
		k := r.IntN(n + 1)
		p := float64(k) / float64(n)
		w, cc, cp := Wilson(k, n, .95), WilsonCC(k, n, .95), ClopperPearson(k, n, .95)
		for what, in := range map[string]Interval{"wilson": w, "corrected": cc, "exact": cp} {
			if !in.Contains(p) || in.Lo < 0 || in.Hi > 1 {
				t.Fatalf("%s of %d/%d: %v", what, k, n, in)
			}
		}
		if cc.Lo > w.Lo+eps || cc.Hi < w.Hi-eps {
			t.Fatalf("%d/%d: the corrected interval %v is narrower than %v", k, n, cc, w)
		}
		// What is good for k is as bad for n−k.
		if m := Wilson(n-k, n, .95); math.Abs(m.Lo-(1-w.Hi)) > eps || math.Abs(m.Hi-(1-w.Lo)) > eps {
			t.Fatalf("%d/%d: %v is not the mirror of %v", n-k, n, m, w)
		}
		b, c := r.IntN(200), r.IntN(200)
		x, y := McNemar(b, c), McNemar(c, b)
		if x.Exact != y.Exact || x.MidP > x.Exact || x.Exact < 0 || x.Exact > 1 {
			t.Fatalf("McNemar %d, %d: %+v, %+v", b, c, x, y)
		}
		ps := make([]float64, 1+r.IntN(8))
		for i := range ps {
			ps[i] = r.Float64()
		}
		holm, bh, bonf := Holm(ps), BenjaminiHochberg(ps), Bonferroni(ps)
		for i := range ps {
			if !(ps[i] <= bh[i]+eps && bh[i] <= holm[i]+eps && holm[i] <= bonf[i]+eps) {
				t.Fatalf("p %v: BH %v, Holm %v, Bonferroni %v", ps[i], bh[i], holm[i], bonf[i])
			}
		}
		// A perfect judge changes nothing.
		if q, _ := RoganGladen(k, n, Rates{0, 100, 0, 100}, .95); math.Abs(q-p) > eps {
			t.Fatalf("corrected for no error: %v, want %v", q, p)
		}
	}
}

// The corrected interval holds the truth about as often as it says. The draws are
// seeded: this is arithmetic, not luck.
func TestRoganGladenCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(n int, p float64) (k int) {
		for range n {
			if r.Float64() < p {
				k++
			}
		}
		return k
	}
	for _, c := range []struct{ truth, fa, fr float64 }{{.7, .1, .05}, {.9, .3, .1}, {.5, .05, .2}, {.95, .6, .02}} {
		held := 0
		const trials = 1000
		for range trials {
			k := draw(500, c.truth*(1-c.fr)+(1-c.truth)*c.fa)
			rates := Rates{draw(200, c.fa), 200, draw(200, c.fr), 200}
			if _, in := RoganGladen(k, 500, rates, .95); in.Contains(c.truth) {
				held++
			}
		}
		if share := float64(held) / trials; share < .93 {
			t.Errorf("%+v: held in %v of the trials", c, share)
		}
	}
}

func TestBootstrapIsSeeded(t *testing.T) {
	clusters := []Cluster{{3, 3, 5}, {9, 9, 10}, {1, 1, 7}, {20, 20, 30}, {4, 4, 4}}
	a, b := BootstrapMean(clusters, 500, 9, .95), BootstrapMean(clusters, 500, 9, .95)
	if a != b {
		t.Errorf("the same seed gives %v and %v", a, b)
	}
	if c := BootstrapMean(clusters, 500, 10, .95); c == a {
		t.Errorf("another seed gives the same %v", c)
	}
	if !a.Contains(37.0 / 56) {
		t.Errorf("%v leaves out the mean", a)
	}
}

func BenchmarkBootstrapMean(b *testing.B) {
	clusters := make([]Cluster, 500)
	for i := range clusters {
		clusters[i] = Cluster{Sum: float64(i % 2), N: 1}
	}
	for b.Loop() {
		BootstrapMean(clusters, 2000, 1, .95)
	}
}
