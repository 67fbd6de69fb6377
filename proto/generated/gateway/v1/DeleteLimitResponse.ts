// Original file: proto/gateway/v1/limits.proto


export interface DeleteLimitResponse {
}

export interface DeleteLimitResponse__Output {
}
