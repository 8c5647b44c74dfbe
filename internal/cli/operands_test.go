package cli

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
)

func TestOperands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args string
		json bool
		n    int
		want string
	}{
		{"", false, 0, ""},
		{"a", false, 0, "a"},
		{"a b c", false, 0, "a b c"},
		{"--json a", true, 0, "a"},
		{"a --json", true, 0, "a"},
		{"a --n 3 b -json c", true, 3, "a b c"},
		{"--n=3 a --n=4", false, 4, "a"},
		{"a --json=false", false, 0, "a"},
		{"-", false, 0, "-"},
		{"- --json -", true, 0, "- -"},
		{"-- --json", false, 0, "--json"},
		{"a -- --json b", false, 0, "a --json b"},
		{"a --json -- b -- c", true, 0, "a b -- c"},
		{"--", false, 0, ""},
		{"--json", true, 0, ""},
	}
	for _, tt := range tests {
		set := newFlags("test")
		json, n := set.Bool("json", false, ""), set.Int("n", 0, "")
		got, err := operands(set, strings.Fields(tt.args))
		if err != nil || *json != tt.json || *n != tt.n || !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%q: json %t, n %d, %q, %v; want %t, %d, %q", tt.args, *json, *n, got, err, tt.json, tt.n, tt.want)
		}
	}
}

func TestOperandsMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args, want string
	}{
		{"--x", "-x"},
		{"a --x", "-x"},
		{"a --n", "-n"},
		{"a --n x b", "-n"},
		{"a ---", "bad flag"},
	}
	for _, tt := range tests {
		set := newFlags("test")
		set.Int("n", 0, "")
		if got, err := operands(set, strings.Fields(tt.args)); err == nil || got != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %q, %v, want an error with %q", tt.args, got, err, tt.want)
		}
	}
	if _, err := operands(newFlags("test"), []string{"a", "--help", "--x"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help behind an operand: %v", err)
	}
}
