// Original file: proto/gateway/v1/guardrails.proto


export interface RotateGuardrailSecretRequest {
  'id'?: (string);
}

export interface RotateGuardrailSecretRequest__Output {
  'id': (string);
}
