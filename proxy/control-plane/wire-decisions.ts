// Samples of what guardrails decided as a message of the contract.
import { decisionsInContract, stagesInContract } from '../../guardrails/contract.ts';
import type { ReportGuardrailDecisionsRequest } from '../../proto/generated/gateway/v1/ReportGuardrailDecisionsRequest.ts';
import type { DecisionSample } from '../guardrails/decision-samples.ts';

export function encodeDecisions(samples: readonly DecisionSample[]): ReportGuardrailDecisionsRequest {
  return {
    samples: samples.map(({ stage, decision, at, ...sample }) => ({
      ...sample,
      stage: stagesInContract[stage],
      decision: decisionsInContract[decision],
      at: new Date(at).toISOString(),
    })),
  };
}
