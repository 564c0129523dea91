// Package archtest holds the tests that keep the house in shape: who may import whom, what the
// binary may link, and what it may spend before main. It has no code of its own and must not be
// imported.
package archtest
