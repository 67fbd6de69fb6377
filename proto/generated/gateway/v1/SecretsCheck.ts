// Original file: proto/gateway/v1/guardrails.proto


export interface SecretsCheck {
}

export interface SecretsCheck__Output {
}
