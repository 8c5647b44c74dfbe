package failure

import (
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/record"
)

// wrappings are envelopes around one message, by the layers that they have.
var wrappings = []struct{ body, message, layers string }{
	{`{"type":"error","error":{"type":"x","message":"M"},"request_id":"r"}`, "M", "json > error > message"},
	{`{"error":{"message":"M"}}`, "M", "json > error > message"},
	{`{"error":"M"}`, "M", "json > error"},
	{`{"message":"M"}`, "M", "json > message"},
	{`{"detail":"M"}`, "M", "json > detail"},
	{`{"object":"error","message":"M","code":400}`, "M", "json > message"},
	{`[{"error":{"message":"M"}}]`, "M", "json > array > error > message"},
	{`{"code":"bad","error":"M"}`, "M", "json > error"},
	{`{"error":"Bad Request","message":"M"}`, "Bad Request: M", "json > error and message"},
	{`{"errors":[{"message":"M","code":1}],"success":false,"messages":[]}`, "M", "json > errors > array > message"},
	{`{"detail":[{"loc":["body","a",0],"msg":"M","input":"I"},{"loc":["b"],"msg":"N"}]}`, "body.a.0: M; b: N", "json > detail > list of findings"},
	{`{"message":["M","N"]}`, "M; N", "json > message > list of findings"},
	{`{"error":{"message":"P","metadata":{"raw":{"error":{"message":"M"}}}}}`, "M", "json > error > metadata.raw > error > message"},
	{`{"error":{"message":"P","metadata":{"raw":"{\"error\":{\"message\":\"M\"}}"}}}`, "M", "json > error > metadata.raw > json > error > message"},
	{`{"error":{"message":"P","metadata":{"raw":"M"}}}`, "M", "json > error > metadata.raw"},
	{`{"error":{"message":"P","metadata":{"raw":""}}}`, "P", "json > error > message"},
	{`{"type":"response.failed","response":{"error":{"code":"c","message":"M"}}}`, "M", "json > response.error > message"},
	{`{"error":{"message":"litellm.X: Y - {\"error\":{\"message\":\"M\"}}. Received Model Group=m"}}`, "M", "json > error > message > json in prose > error > message"},
	{`{"error":{"message":"litellm.X: Y - {'error': {'message': 'M', 'param': None}}. Received Model Group=m"}}`, "M", "json > error > message > python repr in prose > error > message"},
	{`{"error":{"message":"X - b'{\"error\":{\"message\":\"can\\'t M\"}}'"}}`, "can't M", "json > error > message > python bytes > json > error > message"},
	{`{"error":"{\"error\":{\"message\":\"M\"}}\nCUDA error"}`, "M", "json > error > json > error > message"},
	{`"{\"error\":{\"message\":\"M\"}}"`, "M", "json string > json > error > message"},
	{`oops {\"error\":{\"message\":\"M\"}}`, "M", "escaped json > json > error > message"},
	{`oops {"error":{"message":"M"}} tail`, "M", "json in prose > error > message"},
	{`{"error":{"message":"M`, "M", "json > error > message"},
	{`{"error":{"message":"M \"q\" N"`, `M "q" N`, "json > error > message"},
	{`{"foo":"M"}`, "", "json"},
	{`M`, "M", ""},
	{``, "", ""},
	{`{"error":{"message":"bad {\"role\":\"user\",\"content\":\"{'error': 'x'}\"} here"}}`, `bad {"role":"user","content":"{'error': 'x'}"} here`, "json > error > message"},
	{`it's broken {'x': 1}`, `it's broken {'x': 1}`, ""},
}

func TestUnwrap(t *testing.T) {
	t.Parallel()
	for _, w := range wrappings {
		got := unwrap(w.body, trailers())
		if layers := strings.Join(got.layers, " > "); got.message != w.message || layers != w.layers {
			t.Errorf("unwrap(%s)\n  = %q, %s\nwant %q, %s", w.body, got.message, layers, w.message, w.layers)
		}
	}
}

func TestUnwrapNotes(t *testing.T) {
	t.Parallel()
	got := unwrap(`{"status_code":400,"error":{"message":"X - {\"error\":{\"code\":429,\"status\":\"EXHAUSTED\",\"message\":\"M\",\"param\":\"p\",\"details\":[{\"fieldViolations\":[{\"field\":\"f\"}]}]}} tail","type":"outer","code":"500"}}`, nil)
	if got.status != 429 || got.param != "p" || got.code != "EXHAUSTED" || !slices.Equal(got.fields, []string{"f"}) {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(got.codes, []string{"exhausted", "outer", "500"}) {
		t.Errorf("codes %q", got.codes)
	}
	if !slices.Equal(got.around, []string{"X -", "tail"}) {
		t.Errorf("around %q", got.around)
	}
}

// Nesting without end, and lists without end, stay bounded.
func TestUnwrapBounds(t *testing.T) {
	t.Parallel()
	body := "M"
	for range 40 {
		body = `{"error":` + quoteJSON(body[:min(len(body), 1<<16)]) + `}`
	}
	for name, s := range map[string]string{
		"strings":  body,
		"objects":  strings.Repeat(`{"error":`, work(1000)),
		"arrays":   strings.Repeat("[", work(20000)),
		"mixed":    strings.Repeat(`[{"error":`, work(1000)),
		"braces":   strings.Repeat("{ ", work(5000)),
		"quotes":   strings.Repeat(`'"`, work(5000)),
		"escapes":  `{"error":"` + strings.Repeat(`\\`, work(5000)),
		"findings": `{"detail":[` + strings.Repeat(`{"loc":["a"],"msg":"b"},`, work(5000)),
		"bytes":    strings.Repeat(`b'{`, work(2000)),
		"escaped":  strings.Repeat(`{\"`, work(2000)),
	} {
		if j := Judge(Answer{Status: 400, Body: []byte(s)}); j.Verdict != record.None || len(j.Layers) > 4*maxLayers {
			t.Errorf("%s: %s %s, %d layers", name, j.Verdict, j.Reason, len(j.Layers))
		}
	}
}

func TestReadLiteral(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s      string
		n      int
		python bool
		ok     bool
	}{
		{`{"a":1}x`, 7, false, true},
		{`{'a': None, "b": (1, 2)}`, 24, true, true},
		{`[1, -2.5e3, "x", {}]`, 20, false, true},
		{`{"a": b'x\'y'}`, 14, true, true},
		{`{"a":"\u00e9\x41"}`, 18, false, true},
		{`{"a":`, 5, false, true},
		{`{"a":"b`, 7, false, true},
		{`{"a":tru`, 8, false, true},
		{`{"a" 1}`, 5, false, false},
		{`{a:1}`, 1, false, false},
		{`{1,2}`, 1, false, false},
		{`[oops]`, 5, false, false},
		{`word`, 4, false, false},
		{``, 0, false, false},
	} {
		_, n, python, ok := readLiteral(c.s)
		if ok != c.ok || ok && (n != c.n || python != c.python) {
			t.Errorf("readLiteral(%q) = %d, %v, %v, want %d, %v, %v", c.s, n, python, ok, c.n, c.python, c.ok)
		}
	}
	v, _, _, _ := readLiteral(`{"a":"\u00e9\x41\n\/\"","b":{"c":[7]}}`)
	if v.str("a") != "éA\n/\"" || v.get("b").get("c").kids[0].text != "7" || v.str("b") != "" || v.get("x").kind != kindOther {
		t.Errorf("%+v", v)
	}
}

func TestElide(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"short":                                   "short",
		"x " + strings.Repeat("A", 255) + " y":    "x " + strings.Repeat("A", 255) + " y",
		"x " + strings.Repeat("A", 256) + " y":    "x AAAAAAAA… y",
		strings.Repeat("B", 300):                  "BBBBBBBB…",
		"a " + strings.Repeat(`CCC\/`, 100) + `"`: `a CCC\/CCC…"`,
		strings.Repeat("words and ", 50):          strings.Repeat("words and ", 50),
	} {
		if got := elideRuns(s); got != want {
			t.Errorf("elideRuns(%.20q) = %q, want %q", s, got, want)
		}
	}
	if got := shorten(strings.Repeat("é", 100), 40); got != strings.Repeat("é", 15)+"…"+strings.Repeat("é", 5) {
		t.Errorf("shorten: %q", got)
	}
}
