// Original file: proto/gateway/v1/audit.proto

import type { Long } from '@grpc/proto-loader';

export interface VerifyAuditRequest {
  'afterRevision'?: (number | string | Long);
  'afterHash'?: (string);
  'revisions'?: (number | string | Long)[];
  '_afterRevision'?: "afterRevision";
  '_afterHash'?: "afterHash";
}

export interface VerifyAuditRequest__Output {
  'afterRevision'?: (string);
  'afterHash'?: (string);
  'revisions': (string)[];
  '_afterRevision'?: "afterRevision";
  '_afterHash'?: "afterHash";
}
