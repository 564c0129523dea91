package plainfile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// Open is os.OpenFile, errors included, but for one thing: as on Unix, other processes can rename, replace and delete the
// file while it is open. Package os does not share a file for that, so that a hook that reads a session's file would keep
// another one from replacing it.
func Open(path string, flag int, _ fs.FileMode) (*os.File, error) {
	handle, err := handleOf(path, flag)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// open is Open: a named pipe of Windows is not in a folder, and no read of a file blocks.
func open(path string, flag int, mode fs.FileMode, _ bool) (*os.File, error) {
	return Open(path, flag, mode)
}

func handleOf(path string, flag int) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return windows.InvalidHandle, err
	}
	const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, access(flag), shared, nil, creation(flag), windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err == windows.ERROR_ACCESS_DENIED && isFolder(name) { //nolint:errorlint // a system call returns it as it is
		err = syscall.EISDIR
	}
	return handle, err
}

// access returns the rights that a file is opened with. Without the right to write data, each write appends to the file.
func access(flag int) uint32 {
	var rights uint32
	switch flag & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR) {
	case os.O_RDONLY:
		rights = windows.FILE_GENERIC_READ
	case os.O_WRONLY:
		rights = windows.FILE_GENERIC_WRITE
	case os.O_RDWR:
		rights = windows.FILE_GENERIC_READ | windows.FILE_GENERIC_WRITE
	}
	if flag&os.O_APPEND != 0 {
		rights &^= windows.FILE_WRITE_DATA
	}
	return rights
}

func creation(flag int) uint32 {
	switch {
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return windows.CREATE_NEW
	case flag&(os.O_CREATE|os.O_TRUNC) == os.O_CREATE|os.O_TRUNC:
		return windows.CREATE_ALWAYS
	case flag&os.O_CREATE != 0:
		return windows.OPEN_ALWAYS
	case flag&os.O_TRUNC != 0:
		return windows.TRUNCATE_EXISTING
	}
	return windows.OPEN_EXISTING
}

func isFolder(name *uint16) bool {
	attributes, err := windows.GetFileAttributes(name)
	return err == nil && attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0
}
