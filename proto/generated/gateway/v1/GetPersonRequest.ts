// Original file: proto/gateway/v1/people.proto


export interface GetPersonRequest {
  'id'?: (string);
}

export interface GetPersonRequest__Output {
  'id': (string);
}
