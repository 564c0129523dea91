package vault

import (
	"os"
	"runtime"
	"time"
)

// rename tries again where Windows refuses because a reader has the file open for a moment.
func rename(from, to string) error {
	err := os.Rename(from, to)
	for range 20 {
		if err == nil || runtime.GOOS != "windows" {
			return err
		}
		time.Sleep(5 * time.Millisecond)
		err = os.Rename(from, to)
	}
	return err
}
