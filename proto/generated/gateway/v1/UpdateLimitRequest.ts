// Original file: proto/gateway/v1/limits.proto

import type { LimitSubject as _gateway_v1_LimitSubject, LimitSubject__Output as _gateway_v1_LimitSubject__Output } from '../../gateway/v1/LimitSubject.ts';
import type { LimitKind as _gateway_v1_LimitKind, LimitKind__Output as _gateway_v1_LimitKind__Output } from '../../gateway/v1/LimitKind.ts';
import type { BudgetPeriod as _gateway_v1_BudgetPeriod, BudgetPeriod__Output as _gateway_v1_BudgetPeriod__Output } from '../../gateway/v1/BudgetPeriod.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdateLimitRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'count'?: (number | string | Long);
  'subject'?: (_gateway_v1_LimitSubject | null);
  'kind'?: (_gateway_v1_LimitKind);
  'model'?: (string);
  'amountUsd'?: (string);
  'period'?: (_gateway_v1_BudgetPeriod);
  '_ifRevision'?: "ifRevision";
  '_count'?: "count";
  '_subject'?: "subject";
  '_kind'?: "kind";
  '_model'?: "model";
  '_amountUsd'?: "amountUsd";
  '_period'?: "period";
}

export interface UpdateLimitRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'count'?: (string);
  'subject'?: (_gateway_v1_LimitSubject__Output | null);
  'kind'?: (_gateway_v1_LimitKind__Output);
  'model'?: (string);
  'amountUsd'?: (string);
  'period'?: (_gateway_v1_BudgetPeriod__Output);
  '_ifRevision'?: "ifRevision";
  '_count'?: "count";
  '_subject'?: "subject";
  '_kind'?: "kind";
  '_model'?: "model";
  '_amountUsd'?: "amountUsd";
  '_period'?: "period";
}
