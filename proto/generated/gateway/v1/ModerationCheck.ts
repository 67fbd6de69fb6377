// Original file: proto/gateway/v1/guardrails.proto


export interface ModerationCheck {
  'model'?: (string);
  'categories'?: (string)[];
  'scoreMin'?: (number | string);
}

export interface ModerationCheck__Output {
  'model': (string);
  'categories': (string)[];
  'scoreMin': (number);
}
