// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailStage as _gateway_v1_GuardrailStage, GuardrailStage__Output as _gateway_v1_GuardrailStage__Output } from '../../gateway/v1/GuardrailStage.ts';

export interface TestGuardrailsRequest {
  'organizationId'?: (string);
  'stage'?: (_gateway_v1_GuardrailStage);
  'text'?: (string);
  'aiSystemId'?: (string);
  'body'?: (string);
  'keyId'?: (string);
  '_aiSystemId'?: "aiSystemId";
  '_keyId'?: "keyId";
}

export interface TestGuardrailsRequest__Output {
  'organizationId': (string);
  'stage': (_gateway_v1_GuardrailStage__Output);
  'text': (string);
  'aiSystemId'?: (string);
  'body': (string);
  'keyId'?: (string);
  '_aiSystemId'?: "aiSystemId";
  '_keyId'?: "keyId";
}
