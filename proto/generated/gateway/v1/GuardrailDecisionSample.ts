// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailStage as _gateway_v1_GuardrailStage, GuardrailStage__Output as _gateway_v1_GuardrailStage__Output } from '../../gateway/v1/GuardrailStage.ts';
import type { GuardrailDecision as _gateway_v1_GuardrailDecision, GuardrailDecision__Output as _gateway_v1_GuardrailDecision__Output } from '../../gateway/v1/GuardrailDecision.ts';

export interface GuardrailDecisionSample {
  'id'?: (string);
  'guardrailId'?: (string);
  'organizationId'?: (string);
  'keyId'?: (string);
  'requestId'?: (string);
  'stage'?: (_gateway_v1_GuardrailStage);
  'decision'?: (_gateway_v1_GuardrailDecision);
  'at'?: (string);
  'decisions'?: (number);
}

export interface GuardrailDecisionSample__Output {
  'id': (string);
  'guardrailId': (string);
  'organizationId': (string);
  'keyId': (string);
  'requestId': (string);
  'stage': (_gateway_v1_GuardrailStage__Output);
  'decision': (_gateway_v1_GuardrailDecision__Output);
  'at': (string);
  'decisions': (number);
}
