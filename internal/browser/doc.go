// Package browser tests the page under /-/ in a real browser. It is a module of its
// own, so that what drives the browser is not a dependency of the program.
//
// It needs a Chromium: the variable CHROMIUM names one, or it is found on PATH.
// Without one the tests say so and do nothing. With SCREENSHOTS=DIRECTORY they save
// screenshots there.
package browser
