package graphir

// instant reads an RFC 3339 time as microseconds since 1970. Digits below a
// microsecond are dropped; a time without an offset is taken as UTC; what cannot be
// read is noInstant.
func instant[T string | []byte](s T) int64 {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' && s[10] != 't' || s[13] != ':' || s[16] != ':' {
		return noInstant
	}
	year, ok1 := digits(s[0:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:10])
	hour, ok4 := digits(s[11:13])
	minute, ok5 := digits(s[14:16])
	second, ok6 := digits(s[17:19])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60 {
		return noInstant
	}
	rest := s[19:]
	micro := int64(0)
	if len(rest) > 0 && (rest[0] == '.' || rest[0] == ',') {
		i, unit := 1, int64(100_000)
		for ; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
			micro += int64(rest[i]-'0') * unit
			unit /= 10
		}
		if i == 1 {
			return noInstant
		}
		rest = rest[i:]
	}
	offset := int64(0) // seconds east of UTC
	switch {
	case len(rest) == 0 || len(rest) == 1 && rest[0]|0x20 == 'z':
	case len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':':
		h, ok1 := digits(rest[1:3])
		m, ok2 := digits(rest[4:6])
		if !ok1 || !ok2 || h > 23 || m > 59 {
			return noInstant
		}
		offset = h*3600 + m*60
		if rest[0] == '-' {
			offset = -offset
		}
	default:
		return noInstant
	}
	return (daysSince1970(year, month, day)*86400+hour*3600+minute*60+second-offset)*1_000_000 + micro
}

func digits[T string | []byte](s T) (n int64, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, true
}

// daysSince1970 counts in the Gregorian calendar: the year is taken to start in March.
func daysSince1970(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}
