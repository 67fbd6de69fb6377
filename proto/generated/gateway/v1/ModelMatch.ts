// Original file: proto/gateway/v1/models.proto


export interface ModelMatch {
  'selector'?: (string);
  'matched'?: (number);
  'known'?: (number);
  'models'?: (string)[];
  'open'?: (boolean);
  'nearest'?: (string)[];
}

export interface ModelMatch__Output {
  'selector': (string);
  'matched': (number);
  'known': (number);
  'models': (string)[];
  'open': (boolean);
  'nearest': (string)[];
}
