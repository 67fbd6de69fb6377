// Original file: proto/gateway/v1/guardrails.proto


export interface ModelCheck {
  'model'?: (string);
  'form'?: (string);
  'criterion'?: (string);
  'topics'?: (string)[];
  'categories'?: (string)[];
  'scoreMin'?: (number | string);
  'timeoutMs'?: (number);
}

export interface ModelCheck__Output {
  'model': (string);
  'form': (string);
  'criterion': (string);
  'topics': (string)[];
  'categories': (string)[];
  'scoreMin': (number);
  'timeoutMs': (number);
}
