// Original file: proto/gateway/v1/prices.proto


export interface DeletePriceResponse {
}

export interface DeletePriceResponse__Output {
}
