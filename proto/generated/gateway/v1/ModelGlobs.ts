// Original file: proto/gateway/v1/models.proto


export interface ModelGlobs {
  'globs'?: (string)[];
}

export interface ModelGlobs__Output {
  'globs': (string)[];
}
