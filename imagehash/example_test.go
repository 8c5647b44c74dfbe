package imagehash_test

import (
	"fmt"

	"imagebreaker/imagehash"
)

func ExampleBase64() {
	for _, text := range []string{
		"aGVsbG8/",
		"data:image/png;base64,aGVsbG8_",
		"aGVs\r\nbG8/\r\n",
	} {
		sum, size, err := imagehash.Base64([]byte(text))
		fmt.Println(sum.Log(), size, err)
	}
	_, _, err := imagehash.Base64([]byte("aGVsbG8..."))
	fmt.Println(err)
	// Output:
	// b45cf64669f2f8da 6 <nil>
	// b45cf64669f2f8da 6 <nil>
	// b45cf64669f2f8da 6 <nil>
	// not base64
}

func ExampleMediaTypeOfDataURL() {
	fmt.Println(imagehash.MediaTypeOfDataURL([]byte("data:image/PNG;base64,iVBORw0KGgo=")))
	// Output: image/png true
}

func ExampleInspect() {
	pointer := []byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
	look := imagehash.Inspect(pointer)
	fmt.Println(look.Format, look.State)
	fmt.Println(look.Describe("image/png"))
	// Output:
	// lfs_pointer broken
	// a Git LFS pointer, not a PNG
}

func ExampleInspection_Differs() {
	look := imagehash.Inspect([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	fmt.Println(look.Differs("image/png"), look.Describe("image/png"))
	fmt.Println(look.Differs("image/*"), look.Describe("image/*"))
	// Output:
	// true a GIF, though labelled PNG
	// false a GIF of 1x1 pixels
}
