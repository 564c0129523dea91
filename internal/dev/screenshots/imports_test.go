package main

// The tests run a wsi binary that they build. These imports make their cached results depend on the code of the
// screens.
import (
	_ "wsi/doctor/console"
	_ "wsi/doctor/live"
	_ "wsi/installer/wizard"
)
