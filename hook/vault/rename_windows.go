package vault

import (
	"os"
	"time"
)

// rename tries again where Windows refuses because a reader has the file open for a moment.
func rename(from, to string) error {
	err := os.Rename(from, to)
	for range 20 {
		if err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
		err = os.Rename(from, to)
	}
	return err
}
