// Original file: proto/gateway/v1/guardrails.proto


export interface ReportGuardrailDecisionsResponse {
}

export interface ReportGuardrailDecisionsResponse__Output {
}
