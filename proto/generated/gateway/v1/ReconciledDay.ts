// Original file: proto/gateway/v1/reconciliation.proto

import type { BillVendor as _gateway_v1_BillVendor, BillVendor__Output as _gateway_v1_BillVendor__Output } from '../../gateway/v1/BillVendor.ts';

export interface ReconciledDay {
  'vendor'?: (_gateway_v1_BillVendor);
  'day'?: (string);
  'comparedAt'?: (string);
  'preliminary'?: (boolean);
  'compared'?: (number);
  'agreed'?: (number);
  'billedUsd'?: (string);
  'ledgerUsd'?: (string);
  'adjustedUsd'?: (string);
  'ignoredUsd'?: (string);
  'driftUsd'?: (string);
  'unexplainedUsd'?: (string);
  '_comparedAt'?: "comparedAt";
  '_billedUsd'?: "billedUsd";
}

export interface ReconciledDay__Output {
  'vendor': (_gateway_v1_BillVendor__Output);
  'day': (string);
  'comparedAt'?: (string);
  'preliminary': (boolean);
  'compared': (number);
  'agreed': (number);
  'billedUsd'?: (string);
  'ledgerUsd': (string);
  'adjustedUsd': (string);
  'ignoredUsd': (string);
  'driftUsd': (string);
  'unexplainedUsd': (string);
  '_comparedAt'?: "comparedAt";
  '_billedUsd'?: "billedUsd";
}
