// Original file: proto/gateway/v1/access.proto

export const RecordState = {
  RECORD_STATE_UNSPECIFIED: 'RECORD_STATE_UNSPECIFIED',
  RECORD_STATE_CHANGED: 'RECORD_STATE_CHANGED',
  RECORD_STATE_GONE: 'RECORD_STATE_GONE',
} as const;

export type RecordState =
  | 'RECORD_STATE_UNSPECIFIED'
  | 0
  | 'RECORD_STATE_CHANGED'
  | 1
  | 'RECORD_STATE_GONE'
  | 2

export type RecordState__Output = typeof RecordState[keyof typeof RecordState]
