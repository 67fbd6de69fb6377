// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailStage as _gateway_v1_GuardrailStage, GuardrailStage__Output as _gateway_v1_GuardrailStage__Output } from '../../gateway/v1/GuardrailStage.ts';
import type { GuardrailAction as _gateway_v1_GuardrailAction, GuardrailAction__Output as _gateway_v1_GuardrailAction__Output } from '../../gateway/v1/GuardrailAction.ts';
import type { GuardrailFailureRule as _gateway_v1_GuardrailFailureRule, GuardrailFailureRule__Output as _gateway_v1_GuardrailFailureRule__Output } from '../../gateway/v1/GuardrailFailureRule.ts';
import type { GuardrailCheck as _gateway_v1_GuardrailCheck, GuardrailCheck__Output as _gateway_v1_GuardrailCheck__Output } from '../../gateway/v1/GuardrailCheck.ts';
import type { ServiceCredential as _gateway_v1_ServiceCredential, ServiceCredential__Output as _gateway_v1_ServiceCredential__Output } from '../../gateway/v1/ServiceCredential.ts';
import type { Long } from '@grpc/proto-loader';

export interface GuardrailRecord {
  'id'?: (string);
  'name'?: (string);
  'position'?: (number);
  'stage'?: (_gateway_v1_GuardrailStage);
  'action'?: (_gateway_v1_GuardrailAction);
  'onFailure'?: (_gateway_v1_GuardrailFailureRule);
  'message'?: (string);
  'aiSystemIds'?: (string)[];
  'check'?: (_gateway_v1_GuardrailCheck | null);
  'secret'?: (string);
  'revision'?: (number | string | Long);
  'keyIds'?: (string)[];
  'credential'?: (_gateway_v1_ServiceCredential | null);
  '_secret'?: "secret";
  '_credential'?: "credential";
}

export interface GuardrailRecord__Output {
  'id': (string);
  'name': (string);
  'position': (number);
  'stage': (_gateway_v1_GuardrailStage__Output);
  'action': (_gateway_v1_GuardrailAction__Output);
  'onFailure': (_gateway_v1_GuardrailFailureRule__Output);
  'message': (string);
  'aiSystemIds': (string)[];
  'check': (_gateway_v1_GuardrailCheck__Output | null);
  'secret'?: (string);
  'revision': (string);
  'keyIds': (string)[];
  'credential'?: (_gateway_v1_ServiceCredential__Output | null);
  '_secret'?: "secret";
  '_credential'?: "credential";
}
