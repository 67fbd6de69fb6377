// Original file: proto/gateway/v1/usage.proto

import type { UsageFormat as _gateway_v1_UsageFormat, UsageFormat__Output as _gateway_v1_UsageFormat__Output } from '../../gateway/v1/UsageFormat.ts';

export interface ExportUsageRequest {
  'organizationId'?: (string);
  'from'?: (string);
  'to'?: (string);
  'format'?: (_gateway_v1_UsageFormat);
  '_from'?: "from";
  '_to'?: "to";
}

export interface ExportUsageRequest__Output {
  'organizationId': (string);
  'from'?: (string);
  'to'?: (string);
  'format': (_gateway_v1_UsageFormat__Output);
  '_from'?: "from";
  '_to'?: "to";
}
