package eventlog

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Time is a time as in the log: in UTC, to the millisecond.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}

// UnmarshalJSON implements json.Unmarshaler. It accepts only the log's format.
func (t *Time) UnmarshalJSON(text []byte) (err error) {
	if t.Time, err = time.Parse(`"`+timeLayout+`"`, string(text)); err != nil {
		return errors.New("no time of the form " + timeLayout)
	}
	return nil
}

// Millis is a duration as in the log: in whole milliseconds.
type Millis time.Duration

// Duration returns m as a time.Duration, 0 if m is nil.
func (m *Millis) Duration() time.Duration {
	if m == nil {
		return 0
	}
	return time.Duration(*m)
}

// MarshalJSON implements json.Marshaler.
func (m Millis) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(m).Milliseconds(), 10), nil
}

// UnmarshalJSON implements json.Unmarshaler. It returns an error for what is not a
// whole number, or overflows a duration.
func (m *Millis) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("%.20s is no number of milliseconds", text)
	}
	const most = int64(math.MaxInt64 / time.Millisecond)
	if n > most || n < -most {
		return fmt.Errorf("%d ms is out of range", n)
	}
	*m = Millis(n) * Millis(time.Millisecond)
	return nil
}
