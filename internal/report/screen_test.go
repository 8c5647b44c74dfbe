package report

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

func TestFit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		most  int
		want  string
		width int
	}{
		{"", 5, "", 0},
		{"abcde", 5, "abcde", 5},
		{"abcdef", 5, "abcd…", 5},
		{"ab", 1, "…", 1},
		{"画像", 4, "画像", 4},
		{"画像", 3, "画…", 3},
		{"画像画", 4, "画…", 3}, // the ellipsis needs one column, the character two
		{"a画", 2, "a…", 2},
		{"😀", 1, "…", 1},
		{"\x1b[31m", 8, `\x1b[31m`, 8},
		{"\x1b[31m", 7, `\x1b[3…`, 7},
		{"\x1b", 3, `\x…`, 3},
		{"a\nb\r\t\x00\x7f", 40, `a\nb\r\t\x00\x7f`, 16},
		{"\u009b1m", 40, `\u009b1m`, 8},
		{"a\u202eb\u2028\u200b\ufeff", 40, `a\u202eb\u2028\u200b\ufeff`, 26},
		{"e\u0301\U000e0001", 40, `e\u0301\U000e0001`, 17},
		{"\xff\xfe", 40, "��", 2},
		{"it's \"so\" \\n", 40, `it's "so" \n`, 12},
		{"\u00a0\u3000", 40, `\u00a0\u3000`, 12},
		{"ｱｲ가힣", 40, "ｱｲ가힣", 6},
	}
	for _, tt := range tests {
		got := fit(tt.in, tt.most)
		if width := terminal.StringWidth(got); got != tt.want || width != tt.width {
			t.Errorf("fit(%q, %d) = %q, %d columns; want %q, %d", tt.in, tt.most, got, width, tt.want, tt.width)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add("a画\x1b[2J\u202e", 4)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = max(1, most)
		got := fit(s, most)
		if width := terminal.StringWidth(got); width > most || !safe(got) || strings.Contains(got, "\n") {
			t.Errorf("fit(%q, %d) = %q, %d columns", s, most, got, width)
		}
	})
}

// safe tells whether nothing in a text could move a cursor, command a terminal
// or turn writing round.
func safe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && (!unicode.IsPrint(r) || unicode.IsMark(r)) })
}

func TestSafeJSON(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{`{"a":"b \"ü\" 画 \\u0041"}`, `{"a":"b \"ü\" 画 \\u0041"}`},
		{"{\"a\":\t1}\n", "{\"a\":\t1}\n"},
		{"{\"a\":\"\u009b\x7f\u202e\U000e0001\"}", `{"a":"\u009b\u007f\u202e\udb40\udc01"}`},
	}
	for _, tt := range tests {
		got := SafeJSON([]byte(tt.in))
		var before, after any
		if json.Unmarshal([]byte(tt.in), &before) != nil || json.Unmarshal(got, &after) != nil {
			t.Fatalf("%q or %q is no JSON", tt.in, got)
		}
		if string(got) != tt.want || !reflect.DeepEqual(before, after) {
			t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		-1: "0 B", 0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.0 KiB", 1076: "1.1 KiB", 1536: "1.5 KiB", 51_800: "51 KiB",
		1 << 20: "1.0 MiB", 1<<20 + 1<<19: "1.5 MiB", 256 << 20: "256 MiB", 3 << 30: "3.0 GiB", math.MaxInt64: "8.0 EiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
