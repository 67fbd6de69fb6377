// Original file: proto/gateway/v1/guardrails.proto


export interface DeleteGuardrailRequest {
  'id'?: (string);
}

export interface DeleteGuardrailRequest__Output {
  'id': (string);
}
