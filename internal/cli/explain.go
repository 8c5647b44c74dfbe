package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/input"
	"imagebreaker/internal/record"
)

// maxExplained is the largest error body or corpus that is read, in bytes.
const maxExplained = 64 << 20

func explainCommand(env Env) *cobra.Command {
	var asJSON bool
	body := failure.Answer{Status: http.StatusBadRequest}
	cmd := &cobra.Command{
		Use:   "explain [flags] [FILE]",
		Short: "Judge an error response of an upstream, and tell why",
		Long: `Judges an error response of an upstream as the proxy would, and tells why. The
input, FILE or standard input, is the body of the response, or a corpus of them:
one JSON object per line with body and status, and optionally content_type and sse.

Exit status: 0 on success, 2 for a usage error.`,
		GroupID:           groupDiagnose,
		ValidArgsFunction: completeFiles,
		RunE: func(_ *cobra.Command, names []string) error {
			if len(names) > 1 {
				return fmt.Errorf("%d files given; give one, or none for standard input", len(names))
			}
			return explain(env, append(names, "-")[0], body, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line: verdict, reason, points_at, rule, layers")
	cmd.Flags().Func("status", "HTTP `STATUS` of the response (default 400; a corpus has its own)", func(v string) error { return httpStatus(v, &body.Status) })
	cmd.Flags().StringVar(&body.ContentType, "content-type", "", "media `TYPE` of the response (default: detected)")
	return cmd
}

// explained is what --json prints of a judgement. The order of its fields counts.
type explained struct {
	Verdict  record.Verdict `json:"verdict"`
	Reason   record.Reason  `json:"reason"`
	PointsAt string         `json:"points_at"` // "" if the error names no item
	Rule     string         `json:"rule"`
	Layers   []string       `json:"layers"` // outermost first; never null
}

// explain judges the responses in a file.
func explain(env Env, name string, body failure.Answer, asJSON bool) error {
	data, err := input.Read(name, env.Stdin, maxExplained)
	if err != nil {
		return fmt.Errorf("%s: %w", printable(name), err)
	}
	answers, err := answersIn(data, body)
	if err != nil {
		return fmt.Errorf("%s: %w", printable(name), err)
	}
	return failing(explainAll(env.Stdout, answers, asJSON))
}

func httpStatus(v string, to *int) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 100 || n > 599 {
		return errors.New("use a number from 100 to 599")
	}
	*to = n
	return nil
}

// captured is a response in a corpus. Body and status tell it from an error body
// that happens to be JSON.
type captured struct {
	Body        *string `json:"body"`
	Status      *int    `json:"status"`
	ContentType string  `json:"content_type"`
	SSE         bool    `json:"sse"`
}

func (c captured) answer() failure.Answer {
	a := failure.Answer{Status: *c.Status, ContentType: c.ContentType, Body: []byte(*c.Body)}
	if c.SSE {
		a.ContentType = cmp.Or(c.ContentType, "text/event-stream")
	}
	return a
}

// answersIn splits a corpus into its responses. Input that does not start like one
// is the body of a single response, with the status and type of body.
func answersIn(input []byte, body failure.Answer) ([]failure.Answer, error) {
	var out []failure.Answer
	entries := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(input, []byte("\uFEFF"))))
	for {
		var c captured
		err := entries.Decode(&c)
		switch {
		case err == nil && c.Body != nil && c.Status != nil:
			out = append(out, c.answer())
		case len(out) == 0:
			body.Body = input
			return []failure.Answer{body}, nil
		case err == io.EOF:
			return out, nil
		default:
			return nil, fmt.Errorf("entry %d of the corpus is no JSON object with body and status", len(out)+1)
		}
	}
}

// explainAll prints the details of a single judgement, or a line for each of several.
func explainAll(w io.Writer, answers []failure.Answer, asJSON bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, a := range answers {
		var err error
		switch j := failure.Judge(a); {
		case asJSON:
			err = printJSON(w, explained{j.Verdict, j.Reason, j.PointsAt, j.Rule, append([]string{}, j.Layers...)})
		case len(answers) == 1:
			err = explainedPage(table, j)
		default:
			_, err = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", i+1, j.Verdict, j.Reason, cmp.Or(j.PointsAt, "-"), j.Rule, firstLine(failure.Sanitize(j.Message)))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

// explainedPage prints all details of a judgement. The message is sanitized, so
// that the page can go into a bug report.
func explainedPage(w io.Writer, j failure.Judgement) error {
	_, err := fmt.Fprintf(w, "verdict\t%s\nreason\t%s\nretry\t%s\npoints at\t%s\nrule\t%s\nlayers\t%s\nmessage\t%s\n",
		j.Verdict, j.Reason, retryOf(j), cmp.Or(j.PointsAt, "nothing"), j.Rule,
		cmp.Or(strings.Join(j.Layers, " > "), "none"), cmp.Or(failure.Sanitize(j.Message), "none"))
	return err
}

// retryOf tells what the group of the reason means for a retry.
func retryOf(j failure.Judgement) string {
	group := j.Reason.Group()
	if j.Verdict == record.None && group != record.GroupTransient && group != record.GroupRateLimit {
		group = record.GroupNotMedia
	}
	retries := map[record.Group]string{
		record.GroupImage:     "in vain: this item fails again, however often it is sent",
		record.GroupURL:       "in vain with this address; the same bytes inline may work",
		record.GroupPayload:   "in vain with these items together; none of them is bad by itself",
		record.GroupRoute:     "in vain with this model or server; another one may take it",
		record.GroupSuspect:   "once: if it fails again in the same way, the item is to blame",
		record.GroupTransient: "later: only time helps",
		record.GroupRateLimit: "later and more slowly: the pace is to blame",
	}
	return cmp.Or(retries[group], "no item is to blame; if the request failed, something else in it has to change")
}
