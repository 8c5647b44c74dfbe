package config

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestSettings checks the one table that the flags, the variables and the help
// are made of.
func TestSettings(t *testing.T) {
	t.Parallel()
	variables := map[string]bool{}
	for _, s := range settings {
		if s.Name == "" || s.Usage == "" || s.Default == "" || s.Value == "" || s.set == nil {
			t.Errorf("%+v lacks something", s)
		}
		if v := s.Variable(); variables[v] || v != strings.ToUpper(v) || !strings.HasPrefix(v, "IMAGEBREAKER_") || strings.Contains(v, "-") {
			t.Errorf("%s has the variable %s", s.Name, v)
		}
		variables[s.Variable()] = true
	}
	for _, want := range []string{"IMAGEBREAKER_MODE", "IMAGEBREAKER_COOL_OFF", "IMAGEBREAKER_MAX_HOLD", "IMAGEBREAKER_DOWNGRADE_STATUS", "IMAGEBREAKER_BODY_LIMIT"} {
		if !variables[want] {
			t.Errorf("no setting has the variable %s", want)
		}
	}
}

// TestDefaultsAreValues makes sure that the defaults in the help can be given.
func TestDefaultsAreValues(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{"upstream": true, "events": true, "state": true, "rules": true} // described, not spelled out
	for _, s := range settings {
		if err := s.set(&Config{}, s.Default); !texts[s.Name] && err != nil {
			t.Errorf("the default %q of %s: %v", s.Default, s.Name, err)
		}
	}
}

func TestChoice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		words []string
		want  string // the error; "": none
	}{
		{"a", []string{"a", "b"}, ""},
		{"b", []string{"a", "b"}, ""},
		{"c", []string{"a", "b"}, "use a or b"},
		{"c", []string{"a", "b", "d", "e"}, "use a, b, d or e"},
		{"", []string{"a", "b"}, "use a or b"},
		{"A", []string{"a", "b"}, "use a or b"},
		{"a ", []string{"a", "b"}, "use a or b"},
	}
	for _, tt := range tests {
		got := "before"
		err := choice("", "", "", tt.words, func(_ *Config, word string) { got = word }).set(nil, tt.in)
		if tt.want == "" && (err != nil || got != tt.in) || tt.want != "" && (err == nil || err.Error() != tt.want || got != "before") {
			t.Errorf("a choice of %[2]q given %[1]q = %[3]v with %[4]q, want %[5]q", tt.in, tt.words, err, got, tt.want)
		}
	}
}

// TestWordsAreThoseThatCount: the words that are offered for a setting are the
// ones that its mistake names.
func TestWordsAreThoseThatCount(t *testing.T) {
	t.Parallel()
	choice := regexp.MustCompile(`^use [a-z0-9-]+(, [a-z0-9-]+)* or [a-z0-9-]+$`)
	for _, s := range settings {
		refusal, want := fmt.Sprint(s.set(&Config{}, "\x00")), ""
		if n := len(s.Words); n > 0 {
			want = "use " + strings.Join(s.Words[:n-1], ", ") + " or " + s.Words[n-1]
		}
		if choice.MatchString(refusal) != (want != "") || want != "" && refusal != want {
			t.Errorf("%s refuses with %q, its words make %q", s.Name, refusal, want)
		}
	}
}
