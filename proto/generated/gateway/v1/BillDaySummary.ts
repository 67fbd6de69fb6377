// Original file: proto/gateway/v1/reconciliation.proto

import type { BillDocument as _gateway_v1_BillDocument, BillDocument__Output as _gateway_v1_BillDocument__Output } from '../../gateway/v1/BillDocument.ts';

export interface BillDaySummary {
  'document'?: (_gateway_v1_BillDocument);
  'account'?: (string);
  'day'?: (string);
  'rows'?: (number);
  'costUsd'?: (string);
  'importedAt'?: (string);
  'importedBy'?: (string);
  'importId'?: (string);
  'preliminary'?: (boolean);
  '_costUsd'?: "costUsd";
}

export interface BillDaySummary__Output {
  'document': (_gateway_v1_BillDocument__Output);
  'account': (string);
  'day': (string);
  'rows': (number);
  'costUsd'?: (string);
  'importedAt': (string);
  'importedBy': (string);
  'importId': (string);
  'preliminary': (boolean);
  '_costUsd'?: "costUsd";
}
