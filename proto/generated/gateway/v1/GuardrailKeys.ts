// Original file: proto/gateway/v1/guardrails.proto


export interface GuardrailKeys {
  'ids'?: (string)[];
}

export interface GuardrailKeys__Output {
  'ids': (string)[];
}
