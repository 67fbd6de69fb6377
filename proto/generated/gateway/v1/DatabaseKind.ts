// Original file: proto/gateway/v1/status.proto

export const DatabaseKind = {
  DATABASE_KIND_UNSPECIFIED: 'DATABASE_KIND_UNSPECIFIED',
  DATABASE_KIND_SQLITE: 'DATABASE_KIND_SQLITE',
  DATABASE_KIND_POSTGRES: 'DATABASE_KIND_POSTGRES',
} as const;

export type DatabaseKind =
  | 'DATABASE_KIND_UNSPECIFIED'
  | 0
  | 'DATABASE_KIND_SQLITE'
  | 1
  | 'DATABASE_KIND_POSTGRES'
  | 2

export type DatabaseKind__Output = typeof DatabaseKind[keyof typeof DatabaseKind]
