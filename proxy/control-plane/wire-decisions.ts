// Samples of what guardrails decided as a message of the contract.

import type { ReportGuardrailDecisionsRequest } from '../../proto/generated/gateway/v1/ReportGuardrailDecisionsRequest.ts';
import { decisions, guardrailStages } from '../../proto/words/guardrails.ts';
import type { DecisionSample } from '../guardrails/decision-samples.ts';

export function encodeDecisions(samples: readonly DecisionSample[]): ReportGuardrailDecisionsRequest {
  return {
    samples: samples.map(({ stage, decision, at, ...sample }) => ({
      ...sample,
      stage: guardrailStages.names[stage],
      decision: decisions.names[decision],
      at: new Date(at).toISOString(),
    })),
  };
}
