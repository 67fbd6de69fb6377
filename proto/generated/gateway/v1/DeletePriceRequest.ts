// Original file: proto/gateway/v1/prices.proto


export interface DeletePriceRequest {
  'id'?: (string);
}

export interface DeletePriceRequest__Output {
  'id': (string);
}
