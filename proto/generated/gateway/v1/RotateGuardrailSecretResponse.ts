// Original file: proto/gateway/v1/guardrails.proto


export interface RotateGuardrailSecretResponse {
  'secret'?: (string);
}

export interface RotateGuardrailSecretResponse__Output {
  'secret': (string);
}
