// Original file: proto/gateway/v1/providers.proto

export const KeyForm = {
  KEY_FORM_UNSPECIFIED: 'KEY_FORM_UNSPECIFIED',
  KEY_FORM_WIRE_FORMAT: 'KEY_FORM_WIRE_FORMAT',
  KEY_FORM_BEARER: 'KEY_FORM_BEARER',
  KEY_FORM_API_KEY_HEADER: 'KEY_FORM_API_KEY_HEADER',
  KEY_FORM_HEADER: 'KEY_FORM_HEADER',
  KEY_FORM_NONE: 'KEY_FORM_NONE',
} as const;

export type KeyForm =
  | 'KEY_FORM_UNSPECIFIED'
  | 0
  | 'KEY_FORM_WIRE_FORMAT'
  | 1
  | 'KEY_FORM_BEARER'
  | 2
  | 'KEY_FORM_API_KEY_HEADER'
  | 3
  | 'KEY_FORM_HEADER'
  | 4
  | 'KEY_FORM_NONE'
  | 5

export type KeyForm__Output = typeof KeyForm[keyof typeof KeyForm]
