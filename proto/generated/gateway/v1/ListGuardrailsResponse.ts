// Original file: proto/gateway/v1/guardrails.proto

import type { Guardrail as _gateway_v1_Guardrail, Guardrail__Output as _gateway_v1_Guardrail__Output } from '../../gateway/v1/Guardrail.ts';

export interface ListGuardrailsResponse {
  'guardrails'?: (_gateway_v1_Guardrail)[];
  'nextPageToken'?: (string);
}

export interface ListGuardrailsResponse__Output {
  'guardrails': (_gateway_v1_Guardrail__Output)[];
  'nextPageToken': (string);
}
