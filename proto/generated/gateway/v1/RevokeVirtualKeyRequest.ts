// Original file: proto/gateway/v1/virtual_keys.proto


export interface RevokeVirtualKeyRequest {
  'id'?: (string);
}

export interface RevokeVirtualKeyRequest__Output {
  'id': (string);
}
