package substitution

import (
	"fmt"
	"testing"

	"imagebreaker/breaker"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	type failure = breaker.Failure[record.FailureInfo]
	its := func(ns ...byte) (out [][32]byte) {
		for _, n := range ns {
			out = append(out, item(n))
		}
		return out
	}
	whole := func(limit int) failure {
		return failure{Items: its(1, 2, 3), Whole: true, Info: record.FailureInfo{Limit: limit}}
	}
	named := whole(-1)
	named.Info.Named = new(item(2))
	for _, c := range []struct {
		name   string
		f      failure
		images []byte
		want   [][32]byte
	}{
		{"what it is attributed to", failure{Items: its(2, 1)}, []byte{1, 2, 3}, its(2, 1)},
		{"the one of a set that was named", named, []byte{1, 2, 3}, its(2)},
		{"of a set without a limit", whole(-1), []byte{1, 2, 3}, nil},
		{"the oldest that are too many", whole(1), []byte{1, 2, 3}, its(1, 2)},
		{"all of them", whole(0), []byte{1, 2, 3}, its(1, 2, 3)},
		{"none are too many", whole(3), []byte{1, 2, 3}, nil},
		{"one that stands in two places frees both", whole(2), []byte{1, 2, 1, 3}, its(1)},
		{"the oldest stands in one place", whole(2), []byte{2, 1, 1, 3}, its(2, 1)},
	} {
		var images []*protocol.Image
		for _, n := range c.images {
			images = append(images, &protocol.Image{Sum: item(n)})
		}
		if got := Targets(c.f, images); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %d targets, want %d: %.100v", c.name, len(got), len(c.want), got)
		}
	}
}
