package agents

import (
	"cmp"
	"net/url"
	"strings"
)

// vertexAddress is the clients' own address of Vertex AI, which has one for each
// region. Nil: the one for all. A region that is none gets none.
func vertexAddress(getenv func(string) string) *url.URL {
	switch region := vertexRegion(getenv); {
	case region == "global" || !isRegion(region):
		return nil
	case region == "us" || region == "eu":
		return &url.URL{Scheme: "https", Host: "aiplatform." + region + ".rep.googleapis.com"}
	default:
		return &url.URL{Scheme: "https", Host: region + "-aiplatform.googleapis.com"}
	}
}

// vertexRegion is the region whose address a client of Vertex AI would take.
func vertexRegion(getenv func(string) string) string {
	switch {
	case isOn(getenv("CLAUDE_CODE_USE_VERTEX")):
		return cmp.Or(getenv("CLOUD_ML_REGION"), "us-east5")
	case cmp.Or(getenv("GOOGLE_API_KEY"), getenv("GOOGLE_CLOUD_API_KEY")) != "": // a key belongs to no region; the second is pi's
		return "global"
	}
	return getenv("GOOGLE_CLOUD_LOCATION")
}

func isRegion(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
