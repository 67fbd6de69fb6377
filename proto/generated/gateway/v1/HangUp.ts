// Original file: proto/gateway/v1/organizations.proto

export const HangUp = {
  HANG_UP_UNSPECIFIED: 'HANG_UP_UNSPECIFIED',
  HANG_UP_CANCEL: 'HANG_UP_CANCEL',
  HANG_UP_READ: 'HANG_UP_READ',
} as const;

export type HangUp =
  | 'HANG_UP_UNSPECIFIED'
  | 0
  | 'HANG_UP_CANCEL'
  | 1
  | 'HANG_UP_READ'
  | 2

export type HangUp__Output = typeof HangUp[keyof typeof HangUp]
