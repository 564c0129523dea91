package main

// The program that these tests drive is built apart. They link what draws its screens, so that a
// change of that is never answered from the cache of test results.
import (
	_ "wsi/doctor/console"
	_ "wsi/doctor/live"
	_ "wsi/installer/wizard"
)
