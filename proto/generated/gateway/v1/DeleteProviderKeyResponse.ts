// Original file: proto/gateway/v1/provider_keys.proto


export interface DeleteProviderKeyResponse {
}

export interface DeleteProviderKeyResponse__Output {
}
