// Original file: proto/gateway/v1/guardrails.proto


export interface ServiceCheck {
  'adapter'?: (string);
  'url'?: (string);
  'options'?: ({[key: string]: string});
  'labels'?: (string)[];
  'scoreMin'?: (number | string);
  'timeoutMs'?: (number);
}

export interface ServiceCheck__Output {
  'adapter': (string);
  'url': (string);
  'options': ({[key: string]: string});
  'labels': (string)[];
  'scoreMin': (number);
  'timeoutMs': (number);
}
