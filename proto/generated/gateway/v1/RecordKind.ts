// Original file: proto/gateway/v1/access.proto

export const RecordKind = {
  RECORD_KIND_UNSPECIFIED: 'RECORD_KIND_UNSPECIFIED',
  RECORD_KIND_KEY: 'RECORD_KIND_KEY',
  RECORD_KIND_AI_SYSTEM: 'RECORD_KIND_AI_SYSTEM',
  RECORD_KIND_PERSON: 'RECORD_KIND_PERSON',
  RECORD_KIND_ORGANIZATION: 'RECORD_KIND_ORGANIZATION',
} as const;

export type RecordKind =
  | 'RECORD_KIND_UNSPECIFIED'
  | 0
  | 'RECORD_KIND_KEY'
  | 1
  | 'RECORD_KIND_AI_SYSTEM'
  | 2
  | 'RECORD_KIND_PERSON'
  | 3
  | 'RECORD_KIND_ORGANIZATION'
  | 4

export type RecordKind__Output = typeof RecordKind[keyof typeof RecordKind]
