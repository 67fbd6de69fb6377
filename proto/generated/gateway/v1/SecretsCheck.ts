// Original file: proto/gateway/v1/guardrails.proto

import type { SecretForm as _gateway_v1_SecretForm, SecretForm__Output as _gateway_v1_SecretForm__Output } from '../../gateway/v1/SecretForm.ts';

export interface SecretsCheck {
  'forms'?: (_gateway_v1_SecretForm)[];
}

export interface SecretsCheck__Output {
  'forms': (_gateway_v1_SecretForm__Output)[];
}
