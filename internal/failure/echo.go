package failure

import (
	"regexp"
	"strings"
)

// An echo is the client's own content in an upstream's message. The user may
// have written any of the phrases that the tables look for, so it has to go
// before anything is matched.
type echo struct {
	name string
	cut  func(string) string
}

func cut(echoes []echo, s string) string {
	for _, e := range echoes {
		s = e.cut(s)
	}
	return s
}

// from cuts everything from the pattern on.
func from(name, pattern string) echo {
	re := regexp.MustCompile(pattern)
	return echo{name, func(s string) string {
		if at := re.FindStringIndex(s); at != nil {
			return s[:at[0]]
		}
		return s
	}}
}

// replace puts with in the place of what the pattern matches.
func replace(name, pattern, with string) echo {
	re := regexp.MustCompile(pattern)
	return echo{name, func(s string) string { return re.ReplaceAllString(s, with) }}
}

// trailers end a message before its envelope is looked for.
func trailers() []echo {
	return []echo{
		// llama.cpp: Failed to parse messages: …; messages = [the conversation]
		from("messages-dump", `; messages = `),
		// LiteLLM: names that the user chose for models.
		from("model-group", `\.?\s*Received Model Group=`),
	}
}

// echoes are cut from the innermost message.
func echoes() []echo {
	return []echo{
		{"loaded-data", cutLoadedData},
		{"conversation", cutConversations},
		// A payload, not the prefix alone, which Google and llama.cpp quote.
		replace("data-url", `data:[\w.+/-]*(?:;[\w.=-]+)*;base64,[^\s'"<>)\]}]*`, "<data>"),
		// FastAPI and vLLM, where the list of findings could not be read.
		from("input-field", `['"]input['"]: `),
		// pydantic's text form: [type=…, input_value=the user's, input_type=…]
		from("input-value", `,? ?input_value=`),
		// OpenRouter's moderation, when its JSON could not be read.
		from("flagged-input", `['"]?flagged_input\b`),
		// TGI: the payload stands behind the colon.
		replace("image-content", `(invalid image content: ?)\S+`, "$1<data>"),
		// Whatever else is quoted at length is nobody's wording.
		replace("long-quote", `"[^"]{240,}"|'[^']{240,}'`, "'<quote>'"),
	}
}

// expectedValues say what would have been right, which is not what was wrong.
// They are the upstream's own words: cut for matching, but shown.
func expectedValues() []echo {
	return []echo{
		// Anthropic
		from("expected-tags", `(?i)any of the expected tags: `),
		// OpenAI
		replace("supported-values", `(?i)supported values are:? .*`, ""),
	}
}

const loadedData = "Error while loading data "

// cutLoadedData cuts what SGLang could not load, so that the cause is left:
// "Error while loading data <repr>: <cause>".
func cutLoadedData(s string) string {
	at := strings.Index(s, loadedData)
	if at < 0 {
		return s
	}
	start := at + len(loadedData)
	n := reprLength(s[start:])
	return s[:start] + "<data>" + s[start+n:]
}

// reprLimit is where new releases of SGLang cut a repr.
const reprLimit = 100

// reprLength is the length of a Python repr that ends at ": ". New releases cut
// it at 100 characters and add dots, so that brackets and quotes stay open.
func reprLength(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case i >= reprLimit-10 && i <= reprLimit+10 && strings.HasPrefix(s[i:], "...: "):
			return i + len("...")
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ':' && depth <= 0 && (i+1 == len(s) || s[i+1] == ' '):
			return i
		}
	}
	for _, dots := range []string{"...: ", "…: "} {
		if i := strings.Index(s, dots); i >= 0 {
			return i + len(dots) - 2
		}
	}
	return 0
}

// cutConversations cuts requests, or pieces of them, that are quoted whole.
func cutConversations(s string) string {
	for i, tries := 0, 0; i < len(s) && tries < maxAttempts; tries++ {
		next := strings.IndexAny(s[i:], "{[")
		if next < 0 {
			break
		}
		i += next
		v, n, _, ok := readLiteral(s[i:])
		if ok && isConversation(v) {
			s = s[:i] + "<messages>" + s[i+n:]
			n = 0
		}
		i += max(n, 1)
	}
	return s
}
