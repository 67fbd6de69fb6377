// Original file: proto/gateway/v1/virtual_keys.proto

export const KeyScopeKind = {
  KEY_SCOPE_KIND_UNSPECIFIED: 'KEY_SCOPE_KIND_UNSPECIFIED',
  KEY_SCOPE_KIND_ORGANIZATION: 'KEY_SCOPE_KIND_ORGANIZATION',
  KEY_SCOPE_KIND_AI_SYSTEM: 'KEY_SCOPE_KIND_AI_SYSTEM',
  KEY_SCOPE_KIND_PERSON: 'KEY_SCOPE_KIND_PERSON',
} as const;

export type KeyScopeKind =
  | 'KEY_SCOPE_KIND_UNSPECIFIED'
  | 0
  | 'KEY_SCOPE_KIND_ORGANIZATION'
  | 1
  | 'KEY_SCOPE_KIND_AI_SYSTEM'
  | 2
  | 'KEY_SCOPE_KIND_PERSON'
  | 3

export type KeyScopeKind__Output = typeof KeyScopeKind[keyof typeof KeyScopeKind]
