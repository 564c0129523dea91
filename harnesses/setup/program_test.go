package setup

import "testing"

func TestProgramCheck(t *testing.T) {
	ok := []struct{ goos, path string }{
		{"linux", "/usr/local/bin/wsi"},
		{"linux", "/home/o'neil/$x y/wsi"},
		{"darwin", "/Users/ü/bin/wsi"},
		{"windows", `C:\Program Files\wsi\wsi.exe`},
		{"windows", `c:/wsi.exe`},
	}
	for _, c := range ok {
		if err := (Program{Path: c.path, Servers: []string{"workflow-server"}}).Check(c.goos); err != nil {
			t.Errorf("%s %s refused: %v", c.goos, c.path, err)
		}
	}
	bad := []struct{ goos, path, server string }{
		{"linux", "bin/wsi", "s"},
		{"linux", "/bin/other", "s"},
		{"linux", "/a\nb/wsi", "s"},
		{"linux", "/bin/wsi", ""},
		{"linux", "/bin/wsi", "a\nb"},
		{"linux", "", "s"},
		{"windows", `C:\a$b\wsi.exe`, "s"},
		{"windows", `C:\100%\wsi.exe`, "s"},
		{"windows", `\wsi.exe`, "s"},
		{"windows", `C:\wsi.exe`, `a"b`},
		{"windows", "C:\\a`b\\wsi.exe", "s"},
	}
	for _, c := range bad {
		if err := (Program{Path: c.path, Servers: []string{c.server}}).Check(c.goos); err == nil {
			t.Errorf("%s %q %q accepted", c.goos, c.path, c.server)
		}
	}
}
