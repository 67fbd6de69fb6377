// Original file: proto/gateway/v1/guardrails.proto


export interface GuardrailAiSystems {
  'ids'?: (string)[];
}

export interface GuardrailAiSystems__Output {
  'ids': (string)[];
}
