// Original file: proto/gateway/v1/usage.proto


export interface ExportUsageResponse {
  'chunk'?: (Buffer | Uint8Array | string);
}

export interface ExportUsageResponse__Output {
  'chunk': (Buffer);
}
