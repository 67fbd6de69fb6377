// Original file: proto/gateway/v1/organizations.proto


export interface FirstOwner {
  'name'?: (string);
  'email'?: (string);
  '_email'?: "email";
}

export interface FirstOwner__Output {
  'name': (string);
  'email'?: (string);
  '_email'?: "email";
}
