// Original file: proto/gateway/v1/virtual_keys.proto

export const KeyStatus = {
  KEY_STATUS_UNSPECIFIED: 'KEY_STATUS_UNSPECIFIED',
  KEY_STATUS_ACTIVE: 'KEY_STATUS_ACTIVE',
  KEY_STATUS_INACTIVE: 'KEY_STATUS_INACTIVE',
  KEY_STATUS_EXPIRED: 'KEY_STATUS_EXPIRED',
  KEY_STATUS_REVOKED: 'KEY_STATUS_REVOKED',
} as const;

export type KeyStatus =
  | 'KEY_STATUS_UNSPECIFIED'
  | 0
  | 'KEY_STATUS_ACTIVE'
  | 1
  | 'KEY_STATUS_INACTIVE'
  | 2
  | 'KEY_STATUS_EXPIRED'
  | 3
  | 'KEY_STATUS_REVOKED'
  | 4

export type KeyStatus__Output = typeof KeyStatus[keyof typeof KeyStatus]
