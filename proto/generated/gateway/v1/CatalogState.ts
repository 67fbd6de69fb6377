// Original file: proto/gateway/v1/access.proto


export interface CatalogState {
  'asOf'?: (string);
  'digest'?: (string);
  'rejected'?: (boolean);
  'shippedAsOf'?: (string);
}

export interface CatalogState__Output {
  'asOf': (string);
  'digest': (string);
  'rejected': (boolean);
  'shippedAsOf': (string);
}
