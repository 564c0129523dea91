package remote

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"time"
)

const (
	// headWait limits the time from the first byte of an answer to the end of its header. It does not limit the time
	// before: a tool may take hours. So the transport has no ResponseHeaderTimeout, which would limit both.
	headWait = 30 * time.Second
	maxEarly = 10_000 // answers before the answer, such as 102 Processing; net/http limits them only for those who do not look
)

type slowHeadError struct{ waited time.Duration }

func (e slowHeadError) Error() string {
	return fmt.Sprintf("the server began an answer and did not end its header within %s", e.waited)
}

// exchange makes a request once and returns when the header of its answer has arrived. After a 1xx answer it waits for
// the header without a limit, because the transport does not report when the next one begins (Go 1.26).
func (s *Server) exchange(r *http.Request) (*http.Response, error) {
	ctx, end := context.WithCancelCause(r.Context()) // the body needs it; its parent ends it
	slow := slowHeadError{s.headWait}
	timer := time.AfterFunc(math.MaxInt64, func() { end(slow) })
	defer timer.Stop()
	early := 0
	answer, err := s.client.Do(r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { timer.Reset(s.headWait) },
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			timer.Stop()
			if early++; early > maxEarly {
				return errEarly
			}
			return nil
		},
	})))
	if err != nil && errors.Is(context.Cause(ctx), slow) {
		return nil, slow
	}
	return answer, err
}

var errEarly = fmt.Errorf("the server sent more than %d answers with a status below 200", maxEarly)
