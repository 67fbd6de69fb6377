// Original file: proto/gateway/v1/tokens.proto


export interface OperatorToken {
  'id'?: (string);
  'personId'?: (string);
  'name'?: (string);
  'hint'?: (string);
  'createdAt'?: (string);
  'endsAt'?: (string);
  'revokedAt'?: (string);
  '_revokedAt'?: "revokedAt";
}

export interface OperatorToken__Output {
  'id': (string);
  'personId': (string);
  'name': (string);
  'hint': (string);
  'createdAt': (string);
  'endsAt': (string);
  'revokedAt'?: (string);
  '_revokedAt'?: "revokedAt";
}
