// Original file: proto/gateway/v1/guardrails.proto


export interface GuardrailPlace {
  'pointer'?: (string);
  'innerPointer'?: (string);
  'inName'?: (boolean);
  'start'?: (number);
  'end'?: (number);
  'label'?: (string);
  '_innerPointer'?: "innerPointer";
}

export interface GuardrailPlace__Output {
  'pointer': (string);
  'innerPointer'?: (string);
  'inName': (boolean);
  'start': (number);
  'end': (number);
  'label': (string);
  '_innerPointer'?: "innerPointer";
}
