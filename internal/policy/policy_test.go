package policy

import (
	"testing"

	"imagebreaker/internal/attribution"
	"imagebreaker/internal/protocol"
)

// clients are the requests that are told apart.
var clients = map[string]protocol.Request{
	"a program":                       {},
	"a program with tools":            {Tools: true},
	"an agent":                        {Session: "s", Tools: true},
	"an agent without tools":          {Session: "s"},
	"an agent that wants JSON":        {Session: "s", JSON: true},
	"a program that wants JSON":       {JSON: true},
	"an agent that chains by id":      {Session: "s", Tools: true, Chained: true},
	"Claude Code":                     {Session: "s", Tools: true, SelfRepair: true},
	"Claude Code that wants JSON":     {Session: "s", SelfRepair: true, JSON: true},
	"Claude Code that counts tokens":  {Session: "s", SelfRepair: true, Kind: protocol.Count},
	"a token count":                   {Kind: protocol.Count},
	"a compaction":                    {Session: "s", Kind: protocol.Compact},
	"Claude Code's compaction by API": {Session: "s", SelfRepair: true, Kind: protocol.Compact},
}

// TestChoose has a line for each client: what it gets for a repeat of the failed turn
// and for a later turn, in each style.
func TestChoose(t *testing.T) {
	t.Parallel()
	type cell struct{ repeat, later Kind }
	both := func(k Kind) cell { return cell{k, k} }
	for client, want := range map[string]map[Style]cell{
		"a program":                       {Auto: both(Error), Message: both(Completion), Failed: both(Error)},
		"a program with tools":            {Auto: {Error, Substitute}, Message: both(Completion), Failed: both(Error)},
		"an agent":                        {Auto: {Completion, Substitute}, Message: both(Completion), Failed: both(Error)},
		"an agent without tools":          {Auto: {Completion, Substitute}, Message: both(Completion), Failed: both(Error)},
		"an agent that wants JSON":        {Auto: {Error, Substitute}, Message: both(Error), Failed: both(Error)},
		"a program that wants JSON":       {Auto: both(Error), Message: both(Error), Failed: both(Error)},
		"an agent that chains by id":      {Auto: {Error, Substitute}, Message: both(Error), Failed: both(Error)},
		"Claude Code":                     {Auto: both(Annotated), Message: both(Completion), Failed: both(Error)},
		"Claude Code that wants JSON":     {Auto: both(Annotated), Message: both(Error), Failed: both(Error)},
		"Claude Code that counts tokens":  {Auto: both(Substitute), Message: both(Error), Failed: both(Error)},
		"a token count":                   {Auto: both(Substitute), Message: both(Error), Failed: both(Error)},
		"a compaction":                    {Auto: both(Substitute), Message: both(Substitute), Failed: both(Error)},
		"Claude Code's compaction by API": {Auto: both(Annotated), Message: both(Substitute), Failed: both(Error)},
	} {
		q := clients[client]
		want[Repair] = both(Substitute)
		for style, w := range want {
			if got := (cell{Choose(style, &q, true), Choose(style, &q, false)}); got != w {
				t.Errorf("%s in %s: %v, want %v", client, style, got, w)
			}
		}
	}
}

// TestAnswer is what they get where nothing can be substituted. It is never that.
func TestAnswer(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]map[Style]Kind{
		"a program":                      {Auto: Error, Message: Completion, Failed: Error, Repair: Error},
		"a program with tools":           {Auto: Error, Message: Completion, Failed: Error, Repair: Error},
		"an agent":                       {Auto: Completion, Message: Completion, Failed: Error, Repair: Completion},
		"an agent that wants JSON":       {Auto: Error, Message: Error, Failed: Error, Repair: Error},
		"an agent that chains by id":     {Auto: Error, Message: Error, Failed: Error, Repair: Error},
		"Claude Code":                    {Auto: Annotated, Message: Completion, Failed: Error, Repair: Annotated},
		"Claude Code that counts tokens": {Auto: Error, Message: Error, Failed: Error, Repair: Error},
		"a compaction":                   {Auto: Error, Message: Error, Failed: Error, Repair: Error},
	} {
		q := clients[client]
		for style, w := range want {
			if got := Answer(style, &q); got != w {
				t.Errorf("%s in %s: %v, want %v", client, style, got, w)
			}
		}
	}
}

func TestSticky(t *testing.T) {
	t.Parallel()
	for client, auto := range map[string]bool{
		"a program": false, "a program with tools": true, "an agent": true, "Claude Code": false,
		"a token count": true, "Claude Code that counts tokens": true, "a compaction": true,
	} {
		q := clients[client]
		for style, want := range map[Style]bool{Auto: auto, Repair: true, Message: false, Failed: false} {
			if got := Sticky(style, &q); got != want {
				t.Errorf("%s in %s: %v", client, style, got)
			}
		}
	}
}

func TestReact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode      Mode
		style     Style
		status    int
		mayResend bool
		want      Reaction
	}{
		{On, Auto, 400, true, Annotate},
		{On, Auto, 413, true, Annotate},
		{On, Auto, 500, true, Downgrade},
		{On, Auto, 501, true, Downgrade},
		{On, Message, 500, true, Downgrade},
		{On, Failed, 400, true, Annotate},
		{On, Repair, 400, true, Resend},
		{On, Repair, 500, true, Resend},
		{On, Repair, 400, false, Annotate},
		{On, Repair, 500, false, Downgrade},
		{DryRun, Repair, 500, true, Untouched},
		{DryRun, Auto, 500, true, Untouched},
		{DryRun, Auto, 400, true, Untouched},
	} {
		if got := React(c.mode, c.style, c.status, c.mayResend); got != c.want {
			t.Errorf("%s %s %d %v: %v, want %v", c.mode, c.style, c.status, c.mayResend, got, c.want)
		}
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	const path, says = "messages.1.content.0.image.source.base64", "Could not process image"
	certain := attribution.Attribution{Images: []*protocol.Image{{Path: path}}, Certain: true}
	unsure, whole, nowhere := certain, certain, certain
	unsure.Certain, whole.Whole, nowhere.Images = false, true, []*protocol.Image{{}}
	for _, c := range []struct {
		name, client string
		a            attribution.Attribution
		message      string
		want         string
	}{
		{"Claude Code", "Claude Code", certain, says, path + ": "},
		{"the message has a path", "Claude Code", certain, "messages.3.content.0.image.source.base64.data: " + says, ""},
		{"not certain", "Claude Code", unsure, says, ""},
		{"of a set", "Claude Code", whole, says, ""},
		{"the API has no paths", "Claude Code", nowhere, says, ""},
		{"nobody who would make use of it", "an agent", certain, says, ""},
	} {
		q := clients[c.client]
		if got := Path(&q, c.a, c.message); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
