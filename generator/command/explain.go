// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

func explainCommand(s streams) *cobra.Command {
	return group("explain", "Show the effect of markers: conversions, calls, upgrades",
		explainConversionCommand(s), explainRequestCommand(s), explainEvaluateCommand(s), explainUpgradeCommand(s))
}

func explainConversionCommand(s streams) *cobra.Command {
	var lossy bool
	c := conversionCommand(s, &cobra.Command{
		Use:   "conversion [kind]",
		Short: "Show for every field what claims it in each direction, and whether anything is lost",
		Long: "conversion shows each field of both versions, what claims it (its name, or a rule), and for each direction\n" +
			"whether it is lossless. Values that the other version cannot express are kept in an annotation, or given up by a drop.",
		Example: "  webhook-gen explain conversion\n  webhook-gen explain conversion --lossy\n  webhook-gen explain conversion Order --format json",
	}, inspect.ConversionFormats(), func(w io.Writer, format string, docs []inspect.ConversionDoc) error {
		if lossy {
			docs = inspect.Lossy(docs)
		}
		return inspect.PrintConversions(w, format, docs)
	})
	c.Flags().BoolVar(&lossy, "lossy", false, "only the fields that are not lossless in both directions")
	return c
}

func graphCommand(s streams) *cobra.Command {
	return conversionCommand(s, &cobra.Command{
		Use:     "graph [kind]",
		Short:   "Draw versions, hub, and the fields that are not lossless",
		Example: "  webhook-gen graph\n  webhook-gen graph Order --format svg > conversions.svg",
	}, inspect.GraphFormats(), inspect.PrintGraph)
}

// conversionCommand completes a command that prints the conversions of a kind, or of all.
func conversionCommand(
	s streams, c *cobra.Command, formats []string, show func(io.Writer, string, []inspect.ConversionDoc) error,
) *cobra.Command {
	var format string
	c.Args = cobra.MaximumNArgs(1)
	c.RunE = func(c *cobra.Command, kind []string) error {
		docs, err := conversions(c, s, strings.Join(kind, ""))
		if err != nil {
			return err
		}
		return show(s.out, format, docs)
	}
	addFormat(c, &format, formats)
	return c
}

// conversions plans the conversions of the module in the current folder, and reports problems in them.
func conversions(c *cobra.Command, s streams, kind string) ([]inspect.ConversionDoc, error) {
	flags := runFlags{format: "text"} // findings are for people; --format applies to the answer
	config, err := flags.config()
	if err != nil {
		return nil, err
	}
	docs, diags := inspect.Conversions(c.Context(), config, kind)
	if err := flags.report(s, config.Dir, diags); err != nil {
		return nil, err
	}
	byHand := inspect.ConvertedByHand(c.Context(), config, kind)
	for _, line := range byHand {
		fmt.Fprintf(s.err, "webhook-gen: %s\n", line)
	}
	if len(docs) == 0 && kind != "" && len(byHand) == 0 {
		all, _ := inspect.Conversions(c.Context(), config, "")
		var kinds []string
		for _, doc := range all {
			if !slices.Contains(kinds, doc.Kind) {
				kinds = append(kinds, doc.Kind)
			}
		}
		if len(kinds) == 0 {
			return nil, errors.New("no kind is converted here: +webhook:conversion:spoke marks one")
		}
		return nil, fmt.Errorf("no spoke of the kind %q is marked: there is %s", kind, strings.Join(kinds, ", "))
	}
	return docs, nil
}
