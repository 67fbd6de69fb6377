// Original file: proto/gateway/v1/access.proto

export const EpochChange = {
  EPOCH_CHANGE_UNSPECIFIED: 'EPOCH_CHANGE_UNSPECIFIED',
  EPOCH_CHANGE_RESTARTED: 'EPOCH_CHANGE_RESTARTED',
  EPOCH_CHANGE_RESTORED: 'EPOCH_CHANGE_RESTORED',
} as const;

export type EpochChange =
  | 'EPOCH_CHANGE_UNSPECIFIED'
  | 0
  | 'EPOCH_CHANGE_RESTARTED'
  | 1
  | 'EPOCH_CHANGE_RESTORED'
  | 2

export type EpochChange__Output = typeof EpochChange[keyof typeof EpochChange]
