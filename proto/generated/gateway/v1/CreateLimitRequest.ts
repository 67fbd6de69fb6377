// Original file: proto/gateway/v1/limits.proto

import type { LimitSubject as _gateway_v1_LimitSubject, LimitSubject__Output as _gateway_v1_LimitSubject__Output } from '../../gateway/v1/LimitSubject.ts';
import type { LimitKind as _gateway_v1_LimitKind, LimitKind__Output as _gateway_v1_LimitKind__Output } from '../../gateway/v1/LimitKind.ts';
import type { BudgetPeriod as _gateway_v1_BudgetPeriod, BudgetPeriod__Output as _gateway_v1_BudgetPeriod__Output } from '../../gateway/v1/BudgetPeriod.ts';
import type { Long } from '@grpc/proto-loader';

export interface CreateLimitRequest {
  'organizationId'?: (string);
  'subject'?: (_gateway_v1_LimitSubject | null);
  'kind'?: (_gateway_v1_LimitKind);
  'amountUsd'?: (string);
  'period'?: (_gateway_v1_BudgetPeriod);
  'count'?: (number | string | Long);
  'model'?: (string);
  'allowUnmatched'?: (boolean);
  '_amountUsd'?: "amountUsd";
  '_period'?: "period";
  '_count'?: "count";
  '_model'?: "model";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface CreateLimitRequest__Output {
  'organizationId': (string);
  'subject': (_gateway_v1_LimitSubject__Output | null);
  'kind': (_gateway_v1_LimitKind__Output);
  'amountUsd'?: (string);
  'period'?: (_gateway_v1_BudgetPeriod__Output);
  'count'?: (string);
  'model'?: (string);
  'allowUnmatched'?: (boolean);
  '_amountUsd'?: "amountUsd";
  '_period'?: "period";
  '_count'?: "count";
  '_model'?: "model";
  '_allowUnmatched'?: "allowUnmatched";
}
