// Package qdranttest is a Qdrant server for tests: the real wire format (the client's
// own generated services over gRPC on loopback), points in memory, and faults by hook.
package qdranttest

import (
	"cmp"
	"context"
	"math"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Server holds collections of points. Scroll follows Qdrant's rule: ids in order,
// numbers before UUIDs, the offset inclusive, next_page_offset absent at the end.
type Server struct {
	Addr string // host:port
	Key  string // "" takes any
	// Before is called with each call's method, such as Scroll, and its number from 1;
	// an error is the answer.
	Before func(method string, n int) error
	// Busy is called likewise: a number of seconds above 0 is the answer, as a server
	// that limits requests gives it.
	Busy func(method string, n int) int

	hooks       sync.Mutex // one hook at a time: tests count in them
	mu          sync.Mutex
	calls       map[string]int
	collections map[string]*collection
}

type collection struct {
	config *qdrant.CreateCollection
	points map[string]*qdrant.PointStruct
	ids    []string // sorted; nil when points came or went
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server { return start(t) }

func start(t testing.TB, more ...grpc.ServerOption) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: l.Addr().String(), calls: map[string]int{}, collections: map[string]*collection{}}
	g := grpc.NewServer(append(more, grpc.UnaryInterceptor(s.intercept), grpc.MaxRecvMsgSize(1<<30),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}))...)
	qdrant.RegisterQdrantServer(g, &health{})
	qdrant.RegisterCollectionsServer(g, &collections{s: s})
	qdrant.RegisterPointsServer(g, &points{s: s})
	go g.Serve(l)
	t.Cleanup(g.Stop)
	return s
}

// Calls returns how often a method was called.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Put stores points, as an upsert does.
func (s *Server) Put(name string, ps ...*qdrant.PointStruct) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(name, ps)
}

// Remove deletes points, as a delete by id does.
func (s *Server) Remove(name string, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(name, ids)
}

// Len counts the points of a collection.
func (s *Server) Len(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.collections[name]; c != nil {
		return len(c.points)
	}
	return 0
}

func (s *Server) put(name string, ps []*qdrant.PointStruct) {
	c := s.collections[name]
	if c == nil {
		c = &collection{points: map[string]*qdrant.PointStruct{}}
		s.collections[name] = c
	}
	for _, p := range ps {
		id := idOf(p.GetId())
		if c.points[id] == nil {
			c.ids = nil
		}
		c.points[id] = p
	}
}

func (s *Server) remove(name string, ids []string) {
	if c := s.collections[name]; c != nil {
		for _, id := range ids {
			delete(c.points, id)
		}
		c.ids = nil
	}
}

func (s *Server) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	method := info.FullMethod[len(info.FullMethod)-slices.Index(reversed(info.FullMethod), '/'):]
	if s.Key != "" {
		md, _ := metadata.FromIncomingContext(ctx)
		if !slices.Equal(md.Get("api-key"), []string{s.Key}) {
			return nil, status.Error(codes.Unauthenticated, "Must provide an API key or an Authorization bearer token")
		}
	}
	s.mu.Lock()
	s.calls[method]++
	n := s.calls[method]
	s.mu.Unlock()
	var seconds int
	err := func() error {
		s.hooks.Lock()
		defer s.hooks.Unlock()
		if s.Busy != nil {
			seconds = s.Busy(method, n)
		}
		if s.Before != nil {
			return s.Before(method, n)
		}
		return nil
	}()
	if err != nil {
		return nil, err
	}
	if seconds > 0 {
		if err := grpc.SetTrailer(ctx, metadata.Pairs("retry-after", strconv.Itoa(seconds))); err != nil {
			return nil, err
		}
		return nil, status.Error(codes.ResourceExhausted, "Too many requests")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return next(ctx, req)
}

func reversed(s string) []byte {
	b := []byte(s)
	slices.Reverse(b)
	return b
}

func idOf(id *qdrant.PointId) string {
	if u := id.GetUuid(); u != "" {
		return u
	}
	return strconv.FormatUint(id.GetNum(), 10)
}

func compare(a, b *qdrant.PointId) int {
	x, y := a.GetUuid(), b.GetUuid()
	switch {
	case x == "" && y == "":
		return cmp.Compare(a.GetNum(), b.GetNum())
	case x == "":
		return -1
	case y == "":
		return 1
	}
	return cmp.Compare(x, y)
}

func (s *Server) find(name string) (*collection, error) {
	if c := s.collections[name]; c != nil {
		return c, nil
	}
	return nil, status.Errorf(codes.NotFound, "Not found: Collection `%s` doesn't exist!", name)
}

func (c *collection) sorted() []string {
	if c.ids == nil {
		for id := range c.points {
			c.ids = append(c.ids, id)
		}
		slices.SortFunc(c.ids, func(a, b string) int { return compare(c.points[a].GetId(), c.points[b].GetId()) })
	}
	return c.ids
}

type health struct {
	qdrant.UnimplementedQdrantServer
}

func (*health) HealthCheck(context.Context, *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	return &qdrant.HealthCheckReply{Title: "qdrant - vector search engine", Version: "1.17.1"}, nil
}

type collections struct {
	qdrant.UnimplementedCollectionsServer
	s *Server
}

func (h *collections) List(context.Context, *qdrant.ListCollectionsRequest) (*qdrant.ListCollectionsResponse, error) {
	r := &qdrant.ListCollectionsResponse{}
	for name := range h.s.collections {
		r.Collections = append(r.Collections, &qdrant.CollectionDescription{Name: name})
	}
	return r, nil
}

func (h *collections) CollectionExists(_ context.Context, q *qdrant.CollectionExistsRequest) (*qdrant.CollectionExistsResponse, error) {
	return &qdrant.CollectionExistsResponse{Result: &qdrant.CollectionExists{Exists: h.s.collections[q.GetCollectionName()] != nil}}, nil
}

func (h *collections) Get(_ context.Context, q *qdrant.GetCollectionInfoRequest) (*qdrant.GetCollectionInfoResponse, error) {
	c, err := h.s.find(q.GetCollectionName())
	if err != nil {
		return nil, err
	}
	return &qdrant.GetCollectionInfoResponse{Result: &qdrant.CollectionInfo{Status: qdrant.CollectionStatus_Green,
		Config: &qdrant.CollectionConfig{Params: &qdrant.CollectionParams{VectorsConfig: c.config.GetVectorsConfig()}}}}, nil
}

func (h *collections) Create(_ context.Context, q *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	if h.s.collections[q.GetCollectionName()] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "Wrong input: Collection `%s` already exists!", q.GetCollectionName())
	}
	h.s.collections[q.GetCollectionName()] = &collection{config: q, points: map[string]*qdrant.PointStruct{}}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

func (h *collections) Delete(_ context.Context, q *qdrant.DeleteCollection) (*qdrant.CollectionOperationResponse, error) {
	_, had := h.s.collections[q.GetCollectionName()]
	delete(h.s.collections, q.GetCollectionName())
	return &qdrant.CollectionOperationResponse{Result: had}, nil
}

type points struct {
	qdrant.UnimplementedPointsServer
	s *Server
}

func done() *qdrant.PointsOperationResponse {
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}}
}

func (h *points) Upsert(_ context.Context, q *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	c, err := h.s.find(q.GetCollectionName())
	if err != nil {
		return nil, err
	}
	if size := c.config.GetVectorsConfig().GetParams().GetSize(); size > 0 {
		for _, p := range q.GetPoints() {
			if have := len(vectorOf(p)); uint64(have) != size {
				return nil, status.Errorf(codes.InvalidArgument, "Wrong input: Vector dimension error: expected dim: %d, got %d", size, have)
			}
		}
	}
	h.s.put(q.GetCollectionName(), q.GetPoints())
	return done(), nil
}

func (h *points) Delete(_ context.Context, q *qdrant.DeletePoints) (*qdrant.PointsOperationResponse, error) {
	c, err := h.s.find(q.GetCollectionName())
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range q.GetPoints().GetPoints().GetIds() {
		ids = append(ids, idOf(id))
	}
	if f := q.GetPoints().GetFilter(); f != nil {
		for id, p := range c.points {
			if matches(p, f) {
				ids = append(ids, id)
			}
		}
	}
	h.s.remove(q.GetCollectionName(), ids)
	return done(), nil
}

func (h *points) Count(_ context.Context, q *qdrant.CountPoints) (*qdrant.CountResponse, error) {
	c, err := h.s.find(q.GetCollectionName())
	if err != nil {
		return nil, err
	}
	n := uint64(0)
	for _, p := range c.points {
		if matches(p, q.GetFilter()) {
			n++
		}
	}
	return &qdrant.CountResponse{Result: &qdrant.CountResult{Count: n}}, nil
}

func (h *points) Scroll(_ context.Context, q *qdrant.ScrollPoints) (*qdrant.ScrollResponse, error) {
	c, err := h.s.find(q.GetCollectionName())
	if err != nil {
		return nil, err
	}
	limit := 10
	if q.Limit != nil {
		limit = int(q.GetLimit())
	}
	if limit == 0 {
		return nil, status.Error(codes.InvalidArgument, "Wrong input: Limit cannot be 0")
	}
	ids := c.sorted()
	start := 0
	if q.GetOffset() != nil {
		start, _ = slices.BinarySearchFunc(ids, q.GetOffset(), func(id string, at *qdrant.PointId) int { return compare(c.points[id].GetId(), at) })
	}
	r := &qdrant.ScrollResponse{}
	for _, id := range ids[start:] {
		p := c.points[id]
		if !matches(p, q.GetFilter()) {
			continue
		}
		if len(r.Result) == limit {
			r.NextPageOffset = p.GetId()
			break
		}
		r.Result = append(r.Result, &qdrant.RetrievedPoint{Id: p.GetId(), Payload: chosen(p.GetPayload(), q.GetWithPayload())})
	}
	return r, nil
}

func (h *points) Query(_ context.Context, q *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
	c, err := h.s.find(q.GetCollectionName())
	if err != nil {
		return nil, err
	}
	want := q.GetQuery().GetNearest().GetDense().GetData()
	if want == nil {
		return nil, status.Error(codes.Unimplemented, "only nearest dense queries")
	}
	if size := c.config.GetVectorsConfig().GetParams().GetSize(); size > 0 && size != uint64(len(want)) {
		return nil, status.Errorf(codes.InvalidArgument, "Wrong input: Vector dimension error: expected dim: %d, got %d", size, len(want))
	}
	r := &qdrant.QueryResponse{}
	for _, p := range c.points {
		if matches(p, q.GetFilter()) {
			r.Result = append(r.Result, &qdrant.ScoredPoint{Id: p.GetId(), Payload: chosen(p.GetPayload(), q.GetWithPayload()), Score: cosine(want, vectorOf(p))})
		}
	}
	slices.SortFunc(r.Result, func(a, b *qdrant.ScoredPoint) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), compare(a.GetId(), b.GetId()))
	})
	r.Result = r.Result[:min(len(r.Result), int(q.GetLimit()))]
	return r, nil
}

// chosen are the members that a request asks for.
func chosen(all map[string]*qdrant.Value, with *qdrant.WithPayloadSelector) map[string]*qdrant.Value {
	if include := with.GetInclude(); include != nil {
		out := map[string]*qdrant.Value{}
		for _, name := range include.GetFields() {
			if v := all[name]; v != nil {
				out[name] = v
			}
		}
		return out
	}
	if with.GetEnable() {
		return all
	}
	return nil
}

func (h *points) OverwritePayload(_ context.Context, q *qdrant.SetPayloadPoints) (*qdrant.PointsOperationResponse, error) {
	c, err := h.s.find(q.GetCollectionName())
	if err != nil {
		return nil, err
	}
	for _, id := range q.GetPointsSelector().GetPoints().GetIds() {
		if p := c.points[idOf(id)]; p != nil { // as Qdrant does: unknown ids are not errors
			c.points[idOf(id)] = &qdrant.PointStruct{Id: p.GetId(), Payload: q.GetPayload(), Vectors: p.GetVectors()}
		}
	}
	return done(), nil
}

func (h *points) CreateFieldIndex(_ context.Context, q *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	if _, err := h.s.find(q.GetCollectionName()); err != nil {
		return nil, err
	}
	return done(), nil
}

func vectorOf(p *qdrant.PointStruct) []float32 {
	v := p.GetVectors().GetVector()
	if d := v.GetDense().GetData(); d != nil {
		return d
	}
	return v.GetData()
}

func cosine(a, b []float32) float32 {
	var dot, x, y float64
	for i := range min(len(a), len(b)) {
		dot, x, y = dot+float64(a[i])*float64(b[i]), x+float64(a[i])*float64(a[i]), y+float64(b[i])*float64(b[i])
	}
	if x == 0 || y == 0 {
		return 0
	}
	return float32(dot / math.Sqrt(x*y))
}

// matches knows filters of must with keyword matches at the top level.
func matches(p *qdrant.PointStruct, f *qdrant.Filter) bool {
	return !slices.ContainsFunc(f.GetMust(), func(c *qdrant.Condition) bool {
		return p.GetPayload()[c.GetField().GetKey()].GetStringValue() != c.GetField().GetMatch().GetKeyword()
	})
}
