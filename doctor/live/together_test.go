package live

import (
	"testing"
	"testing/synctest"
)

func TestMeeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m meeting
		m.among([]string{"left", "right"})
		if err := m.wait("stranger", 0); err != nil {
			t.Error(err)
		}
		done := make(chan error)
		go func() { done <- m.wait("left", 0) }()
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("left did not wait for right")
		default:
		}
		if err := m.wait("right", 0); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := m.wait("left", 0); err != nil {
			t.Error("a repeated request waits:", err)
		}
		if m.wait("left", 1) == nil {
			t.Error("left waited for ever, or not at all")
		}
	})
}
