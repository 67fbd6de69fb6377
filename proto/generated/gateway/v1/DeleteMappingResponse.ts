// Original file: proto/gateway/v1/reconciliation.proto


export interface DeleteMappingResponse {
}

export interface DeleteMappingResponse__Output {
}
