// Original file: proto/gateway/v1/virtual_keys.proto


export interface RotatedValue {
  'hint'?: (string);
  'endsAt'?: (string);
}

export interface RotatedValue__Output {
  'hint': (string);
  'endsAt': (string);
}
