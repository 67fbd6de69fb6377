// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailDecision as _gateway_v1_GuardrailDecision, GuardrailDecision__Output as _gateway_v1_GuardrailDecision__Output } from '../../gateway/v1/GuardrailDecision.ts';

export interface GuardrailTestResult {
  'guardrailId'?: (string);
  'name'?: (string);
  'enabled'?: (boolean);
  'decision'?: (_gateway_v1_GuardrailDecision);
  'found'?: ({[key: string]: number});
}

export interface GuardrailTestResult__Output {
  'guardrailId': (string);
  'name': (string);
  'enabled': (boolean);
  'decision': (_gateway_v1_GuardrailDecision__Output);
  'found': ({[key: string]: number});
}
