package failure

import (
	"slices"
	"testing"

	"imagebreaker/internal/record"
)

// check holds what is true of every judgement.
func check(t *testing.T, j Judgement) {
	t.Helper()
	if !slices.Contains([]record.Verdict{record.Permanent, record.Suspect, record.None}, j.Verdict) || j.Reason == "" || j.Rule == "" || j.Limits.Count < -1 || j.Limits.Side < 0 {
		t.Errorf("%+v", j)
	}
	if len(j.Pointer.Path) > 3 || slices.ContainsFunc(j.Pointer.Path, func(n int) bool { return n < 0 }) {
		t.Errorf("pointer %+v", j.Pointer)
	}
	if j.Verdict == record.None && j.Pointer.URL != "" {
		t.Errorf("blames %q for nothing", j.Pointer.URL)
	}
}

func FuzzJudge(f *testing.F) {
	for _, r := range readRows(f, "upstream-errors.jsonl") {
		f.Add(r.Status, r.ContentType, []byte(r.Body))
	}
	for _, w := range wrappings {
		f.Add(400, "application/json", []byte(w.body))
	}
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		check(t, Judge(Answer{Status: status, ContentType: contentType, Body: body}))
	})
}

func FuzzJudgeEvent(f *testing.F) {
	for _, r := range frames {
		f.Add(r.event, []byte(r.data))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		j, ok := JudgeEvent(name, data)
		if !ok {
			return
		}
		check(t, j)
	})
}

func FuzzReadLiteral(f *testing.F) {
	for _, w := range wrappings {
		f.Add(w.body)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, n, _, _ := readLiteral(s); n < 0 || n > len(s) {
			t.Errorf("read %d of %d bytes", n, len(s))
		}
	})
}
