// Original file: proto/gateway/v1/guardrails.proto

export const GuardrailAction = {
  GUARDRAIL_ACTION_UNSPECIFIED: 'GUARDRAIL_ACTION_UNSPECIFIED',
  GUARDRAIL_ACTION_BLOCK: 'GUARDRAIL_ACTION_BLOCK',
  GUARDRAIL_ACTION_REDACT: 'GUARDRAIL_ACTION_REDACT',
  GUARDRAIL_ACTION_OBSERVE: 'GUARDRAIL_ACTION_OBSERVE',
} as const;

export type GuardrailAction =
  | 'GUARDRAIL_ACTION_UNSPECIFIED'
  | 0
  | 'GUARDRAIL_ACTION_BLOCK'
  | 1
  | 'GUARDRAIL_ACTION_REDACT'
  | 2
  | 'GUARDRAIL_ACTION_OBSERVE'
  | 3

export type GuardrailAction__Output = typeof GuardrailAction[keyof typeof GuardrailAction]
