// Original file: proto/gateway/v1/guardrails.proto

import type { GuardrailStage as _gateway_v1_GuardrailStage, GuardrailStage__Output as _gateway_v1_GuardrailStage__Output } from '../../gateway/v1/GuardrailStage.ts';
import type { GuardrailAction as _gateway_v1_GuardrailAction, GuardrailAction__Output as _gateway_v1_GuardrailAction__Output } from '../../gateway/v1/GuardrailAction.ts';
import type { GuardrailFailureRule as _gateway_v1_GuardrailFailureRule, GuardrailFailureRule__Output as _gateway_v1_GuardrailFailureRule__Output } from '../../gateway/v1/GuardrailFailureRule.ts';
import type { GuardrailAiSystems as _gateway_v1_GuardrailAiSystems, GuardrailAiSystems__Output as _gateway_v1_GuardrailAiSystems__Output } from '../../gateway/v1/GuardrailAiSystems.ts';
import type { GuardrailCheck as _gateway_v1_GuardrailCheck, GuardrailCheck__Output as _gateway_v1_GuardrailCheck__Output } from '../../gateway/v1/GuardrailCheck.ts';
import type { GuardrailKeys as _gateway_v1_GuardrailKeys, GuardrailKeys__Output as _gateway_v1_GuardrailKeys__Output } from '../../gateway/v1/GuardrailKeys.ts';
import type { ServiceCredential as _gateway_v1_ServiceCredential, ServiceCredential__Output as _gateway_v1_ServiceCredential__Output } from '../../gateway/v1/ServiceCredential.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdateGuardrailRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'name'?: (string);
  'enabled'?: (boolean);
  'position'?: (number);
  'stage'?: (_gateway_v1_GuardrailStage);
  'action'?: (_gateway_v1_GuardrailAction);
  'onFailure'?: (_gateway_v1_GuardrailFailureRule);
  'message'?: (string);
  'aiSystems'?: (_gateway_v1_GuardrailAiSystems | null);
  'check'?: (_gateway_v1_GuardrailCheck | null);
  'keys'?: (_gateway_v1_GuardrailKeys | null);
  'credential'?: (_gateway_v1_ServiceCredential | null);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_enabled'?: "enabled";
  '_position'?: "position";
  '_stage'?: "stage";
  '_action'?: "action";
  '_onFailure'?: "onFailure";
  '_message'?: "message";
  '_aiSystems'?: "aiSystems";
  '_check'?: "check";
  '_keys'?: "keys";
  '_credential'?: "credential";
}

export interface UpdateGuardrailRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'name'?: (string);
  'enabled'?: (boolean);
  'position'?: (number);
  'stage'?: (_gateway_v1_GuardrailStage__Output);
  'action'?: (_gateway_v1_GuardrailAction__Output);
  'onFailure'?: (_gateway_v1_GuardrailFailureRule__Output);
  'message'?: (string);
  'aiSystems'?: (_gateway_v1_GuardrailAiSystems__Output | null);
  'check'?: (_gateway_v1_GuardrailCheck__Output | null);
  'keys'?: (_gateway_v1_GuardrailKeys__Output | null);
  'credential'?: (_gateway_v1_ServiceCredential__Output | null);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_enabled'?: "enabled";
  '_position'?: "position";
  '_stage'?: "stage";
  '_action'?: "action";
  '_onFailure'?: "onFailure";
  '_message'?: "message";
  '_aiSystems'?: "aiSystems";
  '_check'?: "check";
  '_keys'?: "keys";
  '_credential'?: "credential";
}
