// Original file: proto/gateway/v1/errors.proto


export interface FieldViolation {
  'field'?: (string);
  'description'?: (string);
}

export interface FieldViolation__Output {
  'field': (string);
  'description': (string);
}
