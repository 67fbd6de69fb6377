// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailTestResult as _gateway_v1_GuardrailTestResult, GuardrailTestResult__Output as _gateway_v1_GuardrailTestResult__Output } from '../../gateway/v1/GuardrailTestResult.ts';

export interface TestGuardrailsResponse {
  'blockedBy'?: (string);
  'message'?: (string);
  'text'?: (string);
  'results'?: (_gateway_v1_GuardrailTestResult)[];
  'body'?: (string);
}

export interface TestGuardrailsResponse__Output {
  'blockedBy': (string);
  'message': (string);
  'text': (string);
  'results': (_gateway_v1_GuardrailTestResult__Output)[];
  'body': (string);
}
