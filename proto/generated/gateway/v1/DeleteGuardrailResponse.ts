// Original file: proto/gateway/v1/guardrails.proto


export interface DeleteGuardrailResponse {
}

export interface DeleteGuardrailResponse__Output {
}
