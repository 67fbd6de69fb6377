// Original file: proto/gateway/v1/access.proto


export interface ProxyProgram {
  'version'?: (string);
  'host'?: (string);
}

export interface ProxyProgram__Output {
  'version': (string);
  'host': (string);
}
