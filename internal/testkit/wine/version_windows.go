package wine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// Version returns the version of Wine, "" on Windows.
func Version() string {
	version := windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version")
	if version.Find() != nil {
		return ""
	}
	text, _, _ := version.Call()
	return windows.BytePtrToString(*(**byte)(unsafe.Pointer(&text))) // a C string that Wine never moves
}
