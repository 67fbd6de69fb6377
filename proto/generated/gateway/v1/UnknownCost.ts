// Original file: proto/gateway/v1/organizations.proto

export const UnknownCost = {
  UNKNOWN_COST_UNSPECIFIED: 'UNKNOWN_COST_UNSPECIFIED',
  UNKNOWN_COST_HOLD: 'UNKNOWN_COST_HOLD',
  UNKNOWN_COST_TEXT: 'UNKNOWN_COST_TEXT',
} as const;

export type UnknownCost =
  | 'UNKNOWN_COST_UNSPECIFIED'
  | 0
  | 'UNKNOWN_COST_HOLD'
  | 1
  | 'UNKNOWN_COST_TEXT'
  | 2

export type UnknownCost__Output = typeof UnknownCost[keyof typeof UnknownCost]
