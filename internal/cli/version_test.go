package cli

import (
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		how     string
		module  string
		vcs     string // revision, time, modified
		version string
		commit  string // the second line
	}{
		{"go install of a release", "v1.2.3", "", "v1.2.3", ""},
		{"a release from its tag", "v1.2.3", "0123456789abcdef 2026-11-30T22:43:28Z false", "v1.2.3", "commit 0123456789abcdef of 2026-11-30T22:43:28Z"},
		{"between two tags", "v1.2.4-0.20261130224328-0123456789ab+dirty", "0123456789abcdef 2026-11-30T22:43:28Z true",
			"v1.2.4-0.20261130224328-0123456789ab+dirty", "commit 0123456789abcdef of 2026-11-30T22:43:28Z, with changes that are in no commit"},
		{"an older Go tool", "(devel)", "0123456789abcdef 2026-11-30T22:43:28Z false", "0123456789ab", "commit 0123456789abcdef of 2026-11-30T22:43:28Z"},
		{"a short revision", "", "42", "42", "commit 42"},
		{"go run, or a folder without history", "(devel)", "", "devel", ""},
		{"nothing at all", "", "", "devel", ""},
	}
	for _, tt := range tests {
		info := &debug.BuildInfo{Main: debug.Module{Version: tt.module}}
		for i, v := range strings.Fields(tt.vcs) {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: []string{"vcs.revision", "vcs.time", "vcs.modified"}[i], Value: v})
		}
		first, second, _ := strings.Cut(buildOf(info).String(), "\n")
		if !regexp.MustCompile(`^imagebreaker ` + regexp.QuoteMeta(tt.version) + ` \(go1\.\S+, \w+/\w+\)$`).MatchString(first) {
			t.Errorf("%s: first line %q", tt.how, first)
		}
		if strings.TrimSuffix(second, "\n") != tt.commit {
			t.Errorf("%s: second line %q, want %q", tt.how, second, tt.commit)
		}
	}
}
