// Original file: proto/gateway/v1/people.proto


export interface DeletePersonResponse {
  'keysRevoked'?: (number);
}

export interface DeletePersonResponse__Output {
  'keysRevoked': (number);
}
