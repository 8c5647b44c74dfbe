package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"imagebreaker/imagehash"
	"imagebreaker/internal/input"
	"imagebreaker/internal/report"
)

// maxInspected is the largest file that is inspected, in bytes: twelve times what
// any API accepts.
const maxInspected = 256 << 20

func inspectCommand(env Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect [flags] FILE...",
		Short: "Tell what image files really contain",
		Long: `Tells for each file what its bytes really are, and whether an API can take it as an
image. The file - is standard input. Nothing is sent anywhere.

Exit status: 0 if all files are ok, 1 if any is unsupported, broken or unreadable,
2 for a usage error.`,
		GroupID:           groupDiagnose,
		ValidArgsFunction: completeFiles,
		RunE: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				return errors.New("no file given; name one or more, or - for standard input")
			}
			return inspect(env, names, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line: file, sum, bytes, format, width, height, state, detail")
	return cmd
}

// inspected is the result for one file. The order of its fields is that of --json.
type inspected struct {
	File   string           `json:"file"`
	Sum    string           `json:"sum"` // all 64 hex digits
	Bytes  int              `json:"bytes"`
	Format imagehash.Format `json:"format"`
	Width  int              `json:"width"` // in pixels; 0 if unknown
	Height int              `json:"height"`
	State  imagehash.State  `json:"state"`
	Detail string           `json:"detail"`

	text string // a description for people
}

// inspect prints the results as a table or as JSON objects, and reports files that
// cannot be read.
func inspect(env Env, names []string, asJSON bool) error {
	code := exitCode(exitOK)
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, name := range names {
		o, err := inspectFile(env, name)
		if err != nil {
			env.printf("inspect: %s: %v", printable(name), err)
			code = exitFailed
			continue
		}
		if o.State != imagehash.OK {
			code = exitFailed
		}
		if asJSON {
			err = printJSON(env.Stdout, o)
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.12s\n", printable(o.File), report.Bytes(int64(o.Bytes)), o.text, o.State, o.Sum)
		}
		if err != nil {
			return failed{err}
		}
	}
	if err := table.Flush(); err != nil {
		return failed{err}
	}
	return code
}

func inspectFile(env Env, name string) (inspected, error) {
	data, err := input.Read(name, env.Stdin, maxInspected)
	if err != nil {
		return inspected{}, err
	}
	look := imagehash.Inspect(data)
	return inspected{
		File: name, Sum: imagehash.Of(data).String(), Bytes: len(data), Format: look.Format,
		Width: look.Width, Height: look.Height, State: look.State, Detail: look.Detail,
		text: look.Describe(labelOf(name)),
	}, nil
}

// labelOf returns the media type that an agent would send with a file of that name;
// "" if the extension is unknown. Package mime depends on the machine.
func labelOf(name string) string {
	return map[string]string{
		".png": "image/png", ".apng": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
		".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".jpe": "image/jpeg", ".jfif": "image/jpeg",
		".heic": "image/heic", ".heif": "image/heic", ".bmp": "image/bmp", ".dib": "image/bmp",
		".ico": "image/x-icon", ".cur": "image/x-icon", ".tif": "image/tiff", ".tiff": "image/tiff",
		".svg": "image/svg+xml", ".pdf": "application/pdf", ".html": "text/html", ".htm": "text/html",
		".json": "application/json", ".txt": "text/plain", ".md": "text/plain", ".csv": "text/plain",
	}[strings.ToLower(filepath.Ext(name))]
}

// printJSON writes v as one line of JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
