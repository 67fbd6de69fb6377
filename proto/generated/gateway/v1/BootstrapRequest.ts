// Original file: proto/gateway/v1/tokens.proto


export interface BootstrapRequest {
  'name'?: (string);
  'email'?: (string);
  '_email'?: "email";
}

export interface BootstrapRequest__Output {
  'name': (string);
  'email'?: (string);
  '_email'?: "email";
}
