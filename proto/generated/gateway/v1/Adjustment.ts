// Original file: proto/gateway/v1/reconciliation.proto

import type { BillVendor as _gateway_v1_BillVendor, BillVendor__Output as _gateway_v1_BillVendor__Output } from '../../gateway/v1/BillVendor.ts';
import type { LimitSubject as _gateway_v1_LimitSubject, LimitSubject__Output as _gateway_v1_LimitSubject__Output } from '../../gateway/v1/LimitSubject.ts';
import type { AdjustedWindow as _gateway_v1_AdjustedWindow, AdjustedWindow__Output as _gateway_v1_AdjustedWindow__Output } from '../../gateway/v1/AdjustedWindow.ts';

export interface Adjustment {
  'id'?: (string);
  'organizationId'?: (string);
  'driftId'?: (string);
  'vendor'?: (_gateway_v1_BillVendor);
  'day'?: (string);
  'providerKeyId'?: (string);
  'model'?: (string);
  'amountUsd'?: (string);
  'booked'?: (boolean);
  'subject'?: (_gateway_v1_LimitSubject | null);
  'reason'?: (string);
  'authorId'?: (string);
  'createdAt'?: (string);
  'undoes'?: (string);
  'undoneBy'?: (string);
  'windows'?: (_gateway_v1_AdjustedWindow)[];
  '_providerKeyId'?: "providerKeyId";
  '_undoes'?: "undoes";
  '_undoneBy'?: "undoneBy";
}

export interface Adjustment__Output {
  'id': (string);
  'organizationId': (string);
  'driftId': (string);
  'vendor': (_gateway_v1_BillVendor__Output);
  'day': (string);
  'providerKeyId'?: (string);
  'model': (string);
  'amountUsd': (string);
  'booked': (boolean);
  'subject': (_gateway_v1_LimitSubject__Output | null);
  'reason': (string);
  'authorId': (string);
  'createdAt': (string);
  'undoes'?: (string);
  'undoneBy'?: (string);
  'windows': (_gateway_v1_AdjustedWindow__Output)[];
  '_providerKeyId'?: "providerKeyId";
  '_undoes'?: "undoes";
  '_undoneBy'?: "undoneBy";
}
