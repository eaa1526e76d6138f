// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

// reader has the companion read match conditions.
func (p companion) reader(ctx context.Context, dir, kubeVersion string) inspect.ExpressionReader {
	return func(project inspect.Description) ([]inspect.ExpressionFinding, error) {
		arguments := []string{"conditions"}
		if kubeVersion != "" {
			arguments = append(arguments, "--kube-version="+kubeVersion)
		}
		var out bytes.Buffer
		if err := p.run(ctx, &out, dir, arguments, &project); err != nil {
			return nil, err
		}
		var answer struct {
			Findings []inspect.ExpressionFinding `json:"findings"`
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			return nil, fmt.Errorf("the answer of %s: %w", companionName, err)
		}
		return answer.Findings, nil
	}
}
