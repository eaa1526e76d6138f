// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// The exit codes of commands.
const (
	exitClean    = 0
	exitFindings = 1
	exitProblem  = 2
)

// Register registers the webhooks of a program, as generated methods of this name do.
type Register = func(handle func(path string, handler http.Handler), options ...admission.Option) error

// Run runs a command of this package on the standard streams. The first argument is the command's name: scan, convert,
// migrate, conversion or wait. For other arguments, or none, ran is false, and the program should go on. The code is
// the exit code: 0 without findings, 1 with findings, 2 if the command could not check, convert or migrate everything.
// Run calls register only for a command.
func Run(ctx context.Context, args []string, register Register) (code int, ran bool) {
	return run(ctx, args, register, os.Stdin, os.Stdout, os.Stderr)
}

func run(ctx context.Context, args []string, register Register, stdin io.Reader, stdout, stderr io.Writer) (code int, ran bool) {
	if len(args) == 0 {
		return exitClean, false
	}
	var err error
	switch args[0] {
	case "scan":
		code, err = runScan(ctx, args[1:], register, stdout, stderr)
	case "convert":
		code, err = runConvert(ctx, args[1:], register, stdin, stdout, stderr)
	case "migrate":
		code, err = runMigrate(ctx, args[1:], register, stdout, stderr)
	case "conversion":
		code, err = runConversion(ctx, args[1:], register, stdout, stderr)
	case "wait":
		code, err = runWait(ctx, args[1:], stdout)
	default:
		return exitClean, false
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", args[0], err)
		code = exitProblem
	}
	return code, true
}

// settings are the arguments of scan.
type settings struct {
	clusterFlags
	files     []string
	namespace string
	user      string
	groups    []string
	output    string
	timeout   time.Duration
	strict    bool
}

// parse reads the arguments. It returns nil settings after it has printed help.
func parse(args []string, stdout io.Writer) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("scan", flag.ContinueOnError)
	flags.Func("f", "`file` or folder of YAML to scan in place of a cluster; repeatable", appendTo(&s.files))
	s.add(flags)
	flags.StringVar(&s.namespace, "namespace", "", "`namespace` to scan (default: all, and objects without one)")
	flags.StringVar(&s.user, "user", "", "`name` of the creating user (default: the kubeconfig's user, or webhook-scan with -f)")
	flags.Func("group", "`name` of a group of --user; repeatable", appendTo(&s.groups))
	flags.StringVar(&s.output, "output", "table", "`format` of the report: table or json")
	flags.DurationVar(&s.timeout, "timeout", 10*time.Second, "longest `duration` of one call of a webhook")
	flags.BoolVar(&s.strict, "strict", false, "exit with 1 for warnings, too")
	const about = "scan sends objects to the webhooks as dry-run creations, and lists the objects that they refuse.\n" +
		"It changes nothing. Exit codes: 0 no findings, 1 findings, 2 something could not be scanned.\n\n"
	switch helped, err := parseFlags(flags, args, about, stdout); {
	case helped || err != nil:
		return nil, err
	case s.output != "table" && s.output != "json":
		return nil, fmt.Errorf("--output is %q: use table or json", s.output)
	case s.timeout <= 0:
		return nil, fmt.Errorf("--timeout is %s: use a longer one, such as 10s", s.timeout)
	case len(s.files) > 0 && s.kubeconfig+s.context+s.namespace != "":
		return nil, errors.New("-f scans files, and --kubeconfig, --context and --namespace choose objects of a cluster: use one of the two")
	case len(s.groups) > 0 && s.user == "":
		return nil, errors.New("--group needs --user")
	}
	return s, nil
}

// parseFlags parses the flags of a command, which takes no other arguments. It reports whether it has printed help.
func parseFlags(flags *flag.FlagSet, args []string, about string, stdout io.Writer) (helped bool, err error) {
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, about)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return true, nil
	case err != nil:
		return false, fmt.Errorf("%w: run %s --help", err, flags.Name())
	case flags.NArg() > 0 && flags.Lookup("f") != nil:
		return false, fmt.Errorf("unexpected argument %q: for a file, write -f %[1]s", flags.Arg(0))
	case flags.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q: run %s --help", flags.Arg(0), flags.Name())
	}
	return false, nil
}

// appendTo returns the function of a flag that may be repeated.
func appendTo(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return nil
	}
}

func runScan(ctx context.Context, args []string, register Register, stdout, stderr io.Writer) (int, error) {
	s, err := parse(args, stdout)
	if s == nil {
		return exitClean, err
	}
	sc := &scanner{timeout: s.timeout, progress: newProgress(stderr)}
	if err := sc.register(register); err != nil {
		return 0, err
	}
	if len(s.files) > 0 {
		sc.user = fileUser(s)
		err = sc.files(ctx, s.files)
	} else {
		err = sc.cluster(ctx, s)
	}
	sc.progress.clear()
	if err != nil {
		return 0, err
	}
	if err := sc.report.write(stdout, s.output); err != nil {
		return 0, err
	}
	return sc.report.code(s.strict), nil
}
