// Original file: proto/gateway/v1/virtual_keys.proto


export interface GetVirtualKeyRequest {
  'id'?: (string);
}

export interface GetVirtualKeyRequest__Output {
  'id': (string);
}
