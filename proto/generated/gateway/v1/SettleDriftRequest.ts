// Original file: proto/gateway/v1/reconciliation.proto

import type { LimitSubject as _gateway_v1_LimitSubject, LimitSubject__Output as _gateway_v1_LimitSubject__Output } from '../../gateway/v1/LimitSubject.ts';

export interface SettleDriftRequest {
  'organizationId'?: (string);
  'id'?: (string);
  'reason'?: (string);
  'ifDriftUsd'?: (string);
  'amountUsd'?: (string);
  'subject'?: (_gateway_v1_LimitSubject | null);
  'accept'?: (boolean);
  '_ifDriftUsd'?: "ifDriftUsd";
  '_amountUsd'?: "amountUsd";
}

export interface SettleDriftRequest__Output {
  'organizationId': (string);
  'id': (string);
  'reason': (string);
  'ifDriftUsd'?: (string);
  'amountUsd'?: (string);
  'subject': (_gateway_v1_LimitSubject__Output | null);
  'accept': (boolean);
  '_ifDriftUsd'?: "ifDriftUsd";
  '_amountUsd'?: "amountUsd";
}
