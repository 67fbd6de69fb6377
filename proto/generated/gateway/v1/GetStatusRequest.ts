// Original file: proto/gateway/v1/status.proto


export interface GetStatusRequest {
}

export interface GetStatusRequest__Output {
}
