// Original file: proto/gateway/v1/usage.proto

export const UsageFormat = {
  USAGE_FORMAT_UNSPECIFIED: 'USAGE_FORMAT_UNSPECIFIED',
  USAGE_FORMAT_CSV: 'USAGE_FORMAT_CSV',
  USAGE_FORMAT_JSON_LINES: 'USAGE_FORMAT_JSON_LINES',
} as const;

export type UsageFormat =
  | 'USAGE_FORMAT_UNSPECIFIED'
  | 0
  | 'USAGE_FORMAT_CSV'
  | 1
  | 'USAGE_FORMAT_JSON_LINES'
  | 2

export type UsageFormat__Output = typeof UsageFormat[keyof typeof UsageFormat]
