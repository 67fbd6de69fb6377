// Original file: proto/gateway/v1/reconciliation.proto

export const DriftState = {
  DRIFT_STATE_UNSPECIFIED: 'DRIFT_STATE_UNSPECIFIED',
  DRIFT_STATE_PRELIMINARY: 'DRIFT_STATE_PRELIMINARY',
  DRIFT_STATE_UNEXPLAINED: 'DRIFT_STATE_UNEXPLAINED',
  DRIFT_STATE_EXPLAINED: 'DRIFT_STATE_EXPLAINED',
  DRIFT_STATE_SETTLED: 'DRIFT_STATE_SETTLED',
} as const;

export type DriftState =
  | 'DRIFT_STATE_UNSPECIFIED'
  | 0
  | 'DRIFT_STATE_PRELIMINARY'
  | 1
  | 'DRIFT_STATE_UNEXPLAINED'
  | 2
  | 'DRIFT_STATE_EXPLAINED'
  | 3
  | 'DRIFT_STATE_SETTLED'
  | 4

export type DriftState__Output = typeof DriftState[keyof typeof DriftState]
