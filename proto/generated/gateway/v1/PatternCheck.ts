// Original file: proto/gateway/v1/guardrails.proto


export interface PatternCheck {
  'patterns'?: (string)[];
}

export interface PatternCheck__Output {
  'patterns': (string)[];
}
