// Original file: proto/gateway/v1/virtual_keys.proto


export interface Metadata {
  'entries'?: ({[key: string]: string});
}

export interface Metadata__Output {
  'entries': ({[key: string]: string});
}
