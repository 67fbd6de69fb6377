// Original file: proto/gateway/v1/tokens.proto


export interface CreateOperatorTokenRequest {
  'personId'?: (string);
  'name'?: (string);
  'days'?: (number);
  '_days'?: "days";
}

export interface CreateOperatorTokenRequest__Output {
  'personId': (string);
  'name': (string);
  'days'?: (number);
  '_days'?: "days";
}
