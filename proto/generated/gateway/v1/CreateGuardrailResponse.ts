// Original file: proto/gateway/v1/guardrails.proto

import type { Guardrail as _gateway_v1_Guardrail, Guardrail__Output as _gateway_v1_Guardrail__Output } from '../../gateway/v1/Guardrail.ts';

export interface CreateGuardrailResponse {
  'guardrail'?: (_gateway_v1_Guardrail | null);
  'secret'?: (string);
  '_secret'?: "secret";
}

export interface CreateGuardrailResponse__Output {
  'guardrail': (_gateway_v1_Guardrail__Output | null);
  'secret'?: (string);
  '_secret'?: "secret";
}
