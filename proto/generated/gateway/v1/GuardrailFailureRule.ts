// Original file: proto/gateway/v1/guardrails.proto

export const GuardrailFailureRule = {
  GUARDRAIL_FAILURE_RULE_UNSPECIFIED: 'GUARDRAIL_FAILURE_RULE_UNSPECIFIED',
  GUARDRAIL_FAILURE_RULE_BLOCK: 'GUARDRAIL_FAILURE_RULE_BLOCK',
  GUARDRAIL_FAILURE_RULE_PASS: 'GUARDRAIL_FAILURE_RULE_PASS',
} as const;

export type GuardrailFailureRule =
  | 'GUARDRAIL_FAILURE_RULE_UNSPECIFIED'
  | 0
  | 'GUARDRAIL_FAILURE_RULE_BLOCK'
  | 1
  | 'GUARDRAIL_FAILURE_RULE_PASS'
  | 2

export type GuardrailFailureRule__Output = typeof GuardrailFailureRule[keyof typeof GuardrailFailureRule]
