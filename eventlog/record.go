package eventlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// record is an event as JSON.
type record struct {
	Time             string   `json:"time"`
	Event            string   `json:"event"`
	Mode             string   `json:"mode"`
	Protocol         string   `json:"protocol"`
	Path             string   `json:"path"`
	Model            string   `json:"model"`
	Stream           *bool    `json:"stream"`
	SessionID        string   `json:"session_id"`
	Signature        string   `json:"signature"`
	Images           []string `json:"images"`
	ImagesTotal      int      `json:"images_total"`
	Verdict          string   `json:"verdict"`
	Reason           string   `json:"reason"`
	Status           int      `json:"status"`
	ErrorKind        string   `json:"error_kind"`
	RetryDecision    string   `json:"retry_decision"`
	Reply            string   `json:"reply"`
	ClientStatus     int      `json:"client_status"`
	HeldCount        int      `json:"held_count"`
	CoolOffRemaining *int64   `json:"cool_off_remaining_ms"`
	RequestBytes     int64    `json:"request_bytes"`
	Duration         int64    `json:"duration_ms"`
	RequestID        string   `json:"request_id"`
	Version          string   `json:"version"`
	Address          string   `json:"address"`
	Detail           string   `json:"detail"`
	Dropped          int      `json:"dropped"`
}

// parse reads one line back.
func parse(line []byte) (Event, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return Event{}, err
	}
	if r.Event == "" {
		return Event{}, errors.New("no event in it")
	}
	e := r.event()
	var err error
	if e.Time, err = time.Parse(timeLayout, r.Time); err != nil {
		return Event{}, errors.New("no time in it, or in another form")
	}
	if e.Duration, err = milliseconds(r.Duration); err != nil {
		return Event{}, err
	}
	if r.CoolOffRemaining != nil {
		left, err := milliseconds(*r.CoolOffRemaining)
		if err != nil {
			return Event{}, err
		}
		e.CoolOffRemaining = &left
	}
	return e, nil
}

// event copies what needs no conversion.
func (r *record) event() Event {
	return Event{
		Event:         r.Event,
		Mode:          r.Mode,
		Protocol:      r.Protocol,
		Path:          r.Path,
		Model:         r.Model,
		Stream:        r.Stream,
		SessionID:     r.SessionID,
		Signature:     r.Signature,
		Images:        r.Images,
		ImagesTotal:   r.ImagesTotal,
		Verdict:       r.Verdict,
		Reason:        r.Reason,
		Status:        r.Status,
		ErrorKind:     r.ErrorKind,
		RetryDecision: r.RetryDecision,
		Reply:         r.Reply,
		ClientStatus:  r.ClientStatus,
		HeldCount:     r.HeldCount,
		RequestBytes:  r.RequestBytes,
		RequestID:     r.RequestID,
		Version:       r.Version,
		Address:       r.Address,
		Detail:        r.Detail,
		Dropped:       r.Dropped,
	}
}

func milliseconds(n int64) (time.Duration, error) {
	const most = int64(math.MaxInt64 / time.Millisecond)
	if n > most || n < -most {
		return 0, fmt.Errorf("%d ms is out of range", n)
	}
	return time.Duration(n) * time.Millisecond, nil
}
