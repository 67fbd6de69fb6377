// Original file: proto/gateway/v1/providers.proto


export interface PassedFields {
  'fields'?: (string)[];
}

export interface PassedFields__Output {
  'fields': (string)[];
}
