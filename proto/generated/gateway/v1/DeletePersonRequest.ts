// Original file: proto/gateway/v1/people.proto


export interface DeletePersonRequest {
  'id'?: (string);
}

export interface DeletePersonRequest__Output {
  'id': (string);
}
