// Original file: proto/gateway/v1/access.proto


export interface ResolveRequest {
  'keyHash'?: (Buffer | Uint8Array | string);
  'signed'?: (boolean);
}

export interface ResolveRequest__Output {
  'keyHash': (Buffer);
  'signed': (boolean);
}
