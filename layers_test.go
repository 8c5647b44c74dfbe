package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sources returns the parsed files of each package, without tests and the nested
// modules.
func sources(t *testing.T) map[string][]*ast.File {
	t.Helper()
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch dir := filepath.ToSlash(filepath.Dir(name)); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || slices.Contains(nested, filepath.ToSlash(name)) || len(name) > 1 && name[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		default:
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			packages[dir] = append(packages[dir], f)
			return err
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(packages, ".") // the program, above everything
	return packages
}

// nested are the modules beside this one.
var nested = []string{"internal/e2e", "internal/browser"}

// layers returns the packages of the table in the documentation, from the top down.
func layers(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n## Layers\n")
	table, _, _ = strings.Cut(table, "\n## ")
	if !found {
		t.Fatal("docs/architecture.md has no section Layers")
	}
	var list []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\|").FindAllStringSubmatch(table, -1) {
		list = append(list, row[1])
	}
	return list
}

// A package imports only from rows below its own, and every package has a row.
func TestLayers(t *testing.T) {
	t.Parallel()
	order := layers(t)
	packages := sources(t)
	for _, name := range order {
		if _, ok := packages[name]; !ok && !slices.Contains(nested, name) {
			t.Errorf("docs/architecture.md has a row for %s, which is no package", name)
		}
	}
	for name, files := range packages {
		row := slices.Index(order, name)
		if row < 0 {
			t.Errorf("docs/architecture.md has no row for %s", name)
		}
		for _, f := range files {
			for _, spec := range f.Imports {
				imported, own := strings.CutPrefix(unquoted(spec.Path), "imagebreaker/")
				if own && slices.Index(order, imported) <= row {
					t.Errorf("%s imports %s, which is not below it in docs/architecture.md", name, imported)
				}
			}
		}
	}
}

// common are names of fields that are ordinary words as well.
var common = strings.Fields("bytes data error image message mode text url Upgrade")

// speakers are the packages beside protocol that may name what APIs name: errors of
// upstreams are judged by their fields, and a scripted upstream writes answers.
var speakers = []string{"internal/protocol", "internal/failure", "internal/fakeapi"}

// Only package protocol names the fields and headers of APIs: what it asks for is
// named nowhere else.
func TestOnlyProtocolNamesFields(t *testing.T) {
	t.Parallel()
	packages := sources(t)
	fields := map[string]bool{}
	for _, f := range packages["internal/protocol"] {
		for n := range ast.Preorder(f) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			if method, ok := call.Fun.(*ast.SelectorExpr); !ok || method.Sel.Name != "Get" {
				continue
			}
			for _, arg := range call.Args {
				if l, ok := arg.(*ast.BasicLit); ok && !slices.Contains(common, unquoted(l)) {
					fields[unquoted(l)] = true
				}
			}
		}
	}
	if len(fields) < 50 {
		t.Fatalf("found only %d fields", len(fields))
	}
	for name, files := range packages {
		if slices.Contains(speakers, name) {
			continue
		}
		for _, f := range files {
			for n := range ast.Preorder(f) {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && fields[unquoted(l)] && !isImport(f, l) {
					t.Errorf("%s names %s, which only protocol should know", name, l.Value)
				}
			}
		}
	}
}

func isImport(f *ast.File, l *ast.BasicLit) bool {
	return slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return spec.Path == l })
}

func unquoted(l *ast.BasicLit) string {
	s, _ := strconv.Unquote(l.Value)
	return s
}
