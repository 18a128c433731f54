// Relcheck reads the programs of a release without running them: relcheck DIST. For each
// folder DIST/membench-VERSION-OS-ARCH it checks that the program has the form, the
// processor and the release of that name, was built without C, and needs no library that
// the system does not bring.
package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: relcheck DIST")
		os.Exit(2)
	}
	folders, _ := filepath.Glob(filepath.Join(os.Args[1], "membench-*-*-*", "membench*")) // the pattern is well formed
	folders = slices.DeleteFunc(folders, func(p string) bool {
		b := filepath.Base(p)
		return b != "membench" && b != "membench.exe"
	})
	if len(folders) == 0 {
		fmt.Fprintf(os.Stderr, "relcheck: no program below %s: run make release\n", os.Args[1])
		os.Exit(1)
	}
	failed := false
	for _, p := range folders {
		said, err := check(p)
		if err != nil {
			failed = true
			said = err.Error()
		}
		fmt.Printf("%s: %s\n", filepath.Base(filepath.Dir(p)), said)
	}
	if failed {
		os.Exit(1)
	}
}

// check reads one program; its folder is named membench-VERSION-OS-ARCH.
func check(program string) (string, error) {
	parts := strings.Split(filepath.Base(filepath.Dir(program)), "-")
	goos, goarch := parts[len(parts)-2], parts[len(parts)-1]
	release := strings.Join(parts[1:len(parts)-2], "-")
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", err
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["GOOS"] != goos || set["GOARCH"] != goarch || set["CGO_ENABLED"] != "0" || set["-trimpath"] != "true" {
		return "", fmt.Errorf("built with %v, want %s, %s, CGO_ENABLED=0 and -trimpath", set, goos, goarch)
	}
	if b, err := os.ReadFile(program); err != nil || !bytes.Contains(b, []byte(release)) {
		return "", errors.Join(err, fmt.Errorf("the program does not hold its release %s", release))
	}
	var form string
	var libraries []string
	switch goos {
	case "darwin":
		form, libraries, err = machO(program, goarch)
	case "windows":
		form, libraries, err = portable(program, goarch)
	default:
		form, libraries, err = elfFile(program, goarch)
	}
	if err != nil {
		return "", err
	}
	if foreign := slices.DeleteFunc(slices.Clone(libraries), func(l string) bool { return system(goos, l) }); len(foreign) > 0 {
		return "", fmt.Errorf("needs %s, which the system does not bring", strings.Join(foreign, ", "))
	}
	return fmt.Sprintf("%s, %s, without C, %d libraries, all of the system", form, info.GoVersion, len(libraries)), nil
}

// system says whether every machine with the system has the library. Linux programs are
// static: they need none.
func system(goos, library string) bool {
	switch goos {
	case "darwin":
		return strings.HasPrefix(library, "/usr/lib/") || strings.HasPrefix(library, "/System/Library/")
	case "windows":
		return strings.EqualFold(library, "kernel32.dll")
	}
	return false
}

func machO(program, goarch string) (string, []string, error) {
	f, err := macho.Open(program)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	want := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[goarch]
	if f.Cpu != want || f.Type != macho.TypeExec {
		return "", nil, fmt.Errorf("Mach-O for %v, type %v, want an executable for %v", f.Cpu, f.Type, want)
	}
	// The kernel of Apple's own processors starts nothing that is not signed; the linker
	// signs ad hoc.
	const codeSignature = 0x1d
	signed := slices.ContainsFunc(f.Loads, func(l macho.Load) bool {
		raw := l.Raw()
		return len(raw) >= 4 && f.ByteOrder.Uint32(raw) == codeSignature
	})
	if goarch == "arm64" && !signed {
		return "", nil, errors.New("no code signature: macOS on arm64 would not start it")
	}
	libraries, err := f.ImportedLibraries()
	return fmt.Sprintf("Mach-O executable for %v", f.Cpu), libraries, err
}

func portable(program, goarch string) (string, []string, error) {
	f, err := pe.Open(program)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	want := map[string]uint16{"amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}[goarch]
	head, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if f.Machine != want || !ok || head.Subsystem != pe.IMAGE_SUBSYSTEM_WINDOWS_CUI {
		return "", nil, fmt.Errorf("PE for machine %#x, want a console program for %#x", f.Machine, want)
	}
	symbols, err := f.ImportedSymbols() // ImportedLibraries of debug/pe is not implemented
	var libraries []string
	for _, s := range symbols {
		if _, l, _ := strings.Cut(s, ":"); !slices.Contains(libraries, l) {
			libraries = append(libraries, l)
		}
	}
	return fmt.Sprintf("PE console program for machine %#x", f.Machine), libraries, err
}

func elfFile(program, goarch string) (string, []string, error) {
	f, err := elf.Open(program)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[goarch]
	if f.Machine != want || f.Class != elf.ELFCLASS64 {
		return "", nil, fmt.Errorf("ELF for %v, want %v", f.Machine, want)
	}
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return "", nil, errors.New("the program names a loader: it is not static")
	}
	libraries, err := f.ImportedLibraries()
	return fmt.Sprintf("static ELF for %v", f.Machine), libraries, err
}
