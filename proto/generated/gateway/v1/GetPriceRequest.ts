// Original file: proto/gateway/v1/prices.proto


export interface GetPriceRequest {
  'id'?: (string);
}

export interface GetPriceRequest__Output {
  'id': (string);
}
