package vault

import (
	"os"
	"time"
)

// rename tries again if it fails: Windows does not replace a file while a reader has it open.
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
