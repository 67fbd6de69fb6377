// Original file: proto/gateway/v1/access.proto

export const RedisState = {
  REDIS_STATE_UNSPECIFIED: 'REDIS_STATE_UNSPECIFIED',
  REDIS_STATE_NONE: 'REDIS_STATE_NONE',
  REDIS_STATE_OK: 'REDIS_STATE_OK',
  REDIS_STATE_FAILING: 'REDIS_STATE_FAILING',
} as const;

export type RedisState =
  | 'REDIS_STATE_UNSPECIFIED'
  | 0
  | 'REDIS_STATE_NONE'
  | 1
  | 'REDIS_STATE_OK'
  | 2
  | 'REDIS_STATE_FAILING'
  | 3

export type RedisState__Output = typeof RedisState[keyof typeof RedisState]
