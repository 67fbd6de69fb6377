// Original file: proto/gateway/v1/providers.proto


export interface DeleteProviderResponse {
}

export interface DeleteProviderResponse__Output {
}
