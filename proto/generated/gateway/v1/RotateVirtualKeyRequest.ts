// Original file: proto/gateway/v1/virtual_keys.proto


export interface RotateVirtualKeyRequest {
  'id'?: (string);
  'graceSeconds'?: (number);
  '_graceSeconds'?: "graceSeconds";
}

export interface RotateVirtualKeyRequest__Output {
  'id': (string);
  'graceSeconds'?: (number);
  '_graceSeconds'?: "graceSeconds";
}
