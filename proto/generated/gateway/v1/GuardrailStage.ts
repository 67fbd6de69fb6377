// Original file: proto/gateway/v1/guardrails.proto

export const GuardrailStage = {
  GUARDRAIL_STAGE_UNSPECIFIED: 'GUARDRAIL_STAGE_UNSPECIFIED',
  GUARDRAIL_STAGE_INPUT: 'GUARDRAIL_STAGE_INPUT',
  GUARDRAIL_STAGE_OUTPUT: 'GUARDRAIL_STAGE_OUTPUT',
  GUARDRAIL_STAGE_BOTH: 'GUARDRAIL_STAGE_BOTH',
} as const;

export type GuardrailStage =
  | 'GUARDRAIL_STAGE_UNSPECIFIED'
  | 0
  | 'GUARDRAIL_STAGE_INPUT'
  | 1
  | 'GUARDRAIL_STAGE_OUTPUT'
  | 2
  | 'GUARDRAIL_STAGE_BOTH'
  | 3

export type GuardrailStage__Output = typeof GuardrailStage[keyof typeof GuardrailStage]
