package failure

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestLimitsOfCounts(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]int{
		"At most 3 image(s) may be provided in one request.":                          3,
		"At most 0 image(s) may be provided in one prompt.":                           0,
		"Too much media: 0 document pages + 101 images > 100":                         100,
		"messages: too many images: 101 > 100":                                        100,
		"Too many images provided. This model supports up to 5 images":                5,
		"Too many images in request. Expected at most 500 images, but got 512.":       500,
		"Too many images: got 12, maximum is 8 images per request":                    8,
		"Too many images in the request: 3601. The maximum number of images is 3600.": 3600,
		"number of images (12) exceeds maximum (10)":                                  10,
		"length of images exceeds max_images 10":                                      10,
		"You can include at most 20 images per request":                               20,
		"vision model only supports a single image per message":                       1,
		"this model only supports one image while more than one image requested":      1,
		"Too many images":         -1,
		"Could not process image": -1,
		"image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes": -1,
	} {
		if j := (said{"", message}).judge(standard()); j.Limits.Count != want {
			t.Errorf("%q: limit %d by %s, want %d", message, j.Limits.Count, j.Rule, want)
		}
	}
}

func TestLimitsOfSides(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]int{
		"At least one of the image dimensions exceed max allowed size: 8000 pixels": 8000,
		"image dimensions exceed 99999999999999999999 pixels":                       math.MaxInt,
		"height:5000 or width:99 must be smaller":                                   5000,
		"image dimensions 9000x20 exceed max allowed size: 8000 pixels":             0, // which of them?
		"image too small: 4 pixels":                                                 0,
		"image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes":                 0,
		"Could not process image 8000":                                              0,
		"At most 300 image(s) may be provided in one request.":                      0,
	} {
		j := (said{"", message}).judge(standard())
		if j.Limits.Side != want || (want > 0) && j.Reason != "dimensions" {
			t.Errorf("%q: %+v, %s by %s, want %d", message, j.Limits, j.Reason, j.Rule, want)
		}
	}
}

func TestLimitsOfSizes(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]int{
		"image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes": {6291456, 5242880},
		"Image size is 20 MB, maximum is 5 MB":                      nil,
		"file is too large: " + strings.Repeat("1234 ", 20):         slices.Repeat([]int{1234}, 16),
		"image dimensions exceed max allowed size: 8000 pixels":     nil,
		"Could not process image 123456":                            nil,
	} {
		if j := (said{"", message}).judge(standard()); !slices.Equal(j.Limits.Said, want) {
			t.Errorf("%q: %v by %s, want %v", message, j.Limits.Said, j.Rule, want)
		}
	}
}
