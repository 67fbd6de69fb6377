// Original file: proto/gateway/v1/ledger.proto

import type { OutstandingLease as _gateway_v1_OutstandingLease, OutstandingLease__Output as _gateway_v1_OutstandingLease__Output } from '../../gateway/v1/OutstandingLease.ts';

export interface CloseSessionRequest {
  'session'?: (string);
  'outstanding'?: (_gateway_v1_OutstandingLease)[];
  'andOthers'?: (boolean);
}

export interface CloseSessionRequest__Output {
  'session': (string);
  'outstanding': (_gateway_v1_OutstandingLease__Output)[];
  'andOthers': (boolean);
}
