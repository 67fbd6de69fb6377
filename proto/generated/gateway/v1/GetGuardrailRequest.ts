// Original file: proto/gateway/v1/guardrails.proto


export interface GetGuardrailRequest {
  'id'?: (string);
}

export interface GetGuardrailRequest__Output {
  'id': (string);
}
