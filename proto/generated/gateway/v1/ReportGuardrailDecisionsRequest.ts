// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailDecisionSample as _gateway_v1_GuardrailDecisionSample, GuardrailDecisionSample__Output as _gateway_v1_GuardrailDecisionSample__Output } from '../../gateway/v1/GuardrailDecisionSample.ts';

export interface ReportGuardrailDecisionsRequest {
  'samples'?: (_gateway_v1_GuardrailDecisionSample)[];
}

export interface ReportGuardrailDecisionsRequest__Output {
  'samples': (_gateway_v1_GuardrailDecisionSample__Output)[];
}
