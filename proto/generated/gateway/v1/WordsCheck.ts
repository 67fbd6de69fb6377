// Original file: proto/gateway/v1/guardrails.proto


export interface WordsCheck {
  'phrases'?: (string)[];
  'withinWords'?: (boolean);
}

export interface WordsCheck__Output {
  'phrases': (string)[];
  'withinWords': (boolean);
}
