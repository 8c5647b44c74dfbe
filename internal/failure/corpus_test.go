package failure

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
)

// row is one line of testdata/failure: an upstream's answer and what is right.
type row struct {
	ID           string   `json:"id"`
	Upstream     string   `json:"upstream"`
	Status       int      `json:"status"`
	ContentType  string   `json:"content_type"`
	Body         string   `json:"body"`
	SSE          bool     `json:"sse"`
	Expect       []string `json:"expect"`
	Reason       string   `json:"reason"`
	PointsAt     string   `json:"points_at"`
	HardNegative bool     `json:"hard_negative"`
}

func (r row) answer() Answer {
	a := Answer{Status: r.Status, ContentType: r.ContentType, Body: []byte(r.Body)}
	if r.Upstream == "bedrock" && r.Status >= 400 {
		a.ErrorType = "ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/"
	}
	return a
}

func (r row) is(verdict string) bool { return slices.Equal(r.Expect, []string{verdict}) }

func readRows(tb testing.TB, name string) []row {
	tb.Helper()
	f, err := os.Open("../../testdata/failure/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var rows []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			tb.Fatalf("%s, line %d: %v", name, len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return rows
}

// ratio counts how many of all were right.
type ratio struct{ right, all int }

func (r *ratio) add(ok bool) {
	r.all++
	if ok {
		r.right++
	}
}

func (r ratio) String() string { return fmt.Sprintf("%d of %d", r.right, r.all) }

func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"upstream-errors.jsonl", "more-errors.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := readRows(t, name)
			if len(rows) == 0 {
				t.Fatal("no rows")
			}
			var verdicts, permanents, negatives, hard, pointers, reasons ratio
			for _, r := range rows {
				j := Judge(r.answer())
				right := slices.Contains(r.Expect, string(j.Verdict))
				verdicts.add(right)
				reasons.add(string(j.Reason) == r.Reason)
				if r.is("permanent") {
					permanents.add(right)
				}
				if r.is("none") {
					negatives.add(right)
				}
				if r.HardNegative {
					hard.add(right)
				}
				if r.PointsAt != "" {
					pointers.add(j.PointsAt == r.PointsAt)
				}
				if !right || string(j.Reason) != r.Reason || j.PointsAt != r.PointsAt {
					t.Errorf("%s: %s %s %q by %s, want %v %s %q\n%.300s", r.ID, j.Verdict, j.Reason, j.PointsAt, j.Rule, r.Expect, r.Reason, r.PointsAt, r.Body)
				}
			}
			t.Logf("verdicts right: %v; permanents found: %v; negatives left alone: %v; hard negatives right: %v; pointers: %v; reasons: %v",
				verdicts, permanents, negatives, hard, pointers, reasons)
		})
	}
}
