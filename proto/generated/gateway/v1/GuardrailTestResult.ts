// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailDecision as _gateway_v1_GuardrailDecision, GuardrailDecision__Output as _gateway_v1_GuardrailDecision__Output } from '../../gateway/v1/GuardrailDecision.ts';
import type { GuardrailPlace as _gateway_v1_GuardrailPlace, GuardrailPlace__Output as _gateway_v1_GuardrailPlace__Output } from '../../gateway/v1/GuardrailPlace.ts';

export interface GuardrailTestResult {
  'guardrailId'?: (string);
  'name'?: (string);
  'enabled'?: (boolean);
  'decision'?: (_gateway_v1_GuardrailDecision);
  'found'?: ({[key: string]: number});
  'places'?: (_gateway_v1_GuardrailPlace)[];
}

export interface GuardrailTestResult__Output {
  'guardrailId': (string);
  'name': (string);
  'enabled': (boolean);
  'decision': (_gateway_v1_GuardrailDecision__Output);
  'found': ({[key: string]: number});
  'places': (_gateway_v1_GuardrailPlace__Output)[];
}
