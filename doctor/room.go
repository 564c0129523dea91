package doctor

import "errors"

// Reasons why a writable folder has no room.
var (
	errFull   = errors.New("its disk is full")
	errInodes = errors.New("its disk has no free inode, so that no file can be made there")
	errQuota  = errors.New("your quota on its disk is used up")
)

// enough is the size in bytes of the largest session in a vault and some lines of the journal.
const enough = 64 << 10
