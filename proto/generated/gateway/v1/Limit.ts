// Original file: proto/gateway/v1/limits.proto

import type { LimitSubject as _gateway_v1_LimitSubject, LimitSubject__Output as _gateway_v1_LimitSubject__Output } from '../../gateway/v1/LimitSubject.ts';
import type { LimitKind as _gateway_v1_LimitKind, LimitKind__Output as _gateway_v1_LimitKind__Output } from '../../gateway/v1/LimitKind.ts';
import type { BudgetPeriod as _gateway_v1_BudgetPeriod, BudgetPeriod__Output as _gateway_v1_BudgetPeriod__Output } from '../../gateway/v1/BudgetPeriod.ts';
import type { ModelMatch as _gateway_v1_ModelMatch, ModelMatch__Output as _gateway_v1_ModelMatch__Output } from '../../gateway/v1/ModelMatch.ts';
import type { Long } from '@grpc/proto-loader';

export interface Limit {
  'id'?: (string);
  'organizationId'?: (string);
  'subject'?: (_gateway_v1_LimitSubject | null);
  'kind'?: (_gateway_v1_LimitKind);
  'amountUsd'?: (string);
  'period'?: (_gateway_v1_BudgetPeriod);
  'count'?: (number | string | Long);
  'model'?: (string);
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
  'match'?: (_gateway_v1_ModelMatch | null);
  '_amountUsd'?: "amountUsd";
  '_period'?: "period";
  '_count'?: "count";
  '_model'?: "model";
  '_match'?: "match";
}

export interface Limit__Output {
  'id': (string);
  'organizationId': (string);
  'subject': (_gateway_v1_LimitSubject__Output | null);
  'kind': (_gateway_v1_LimitKind__Output);
  'amountUsd'?: (string);
  'period'?: (_gateway_v1_BudgetPeriod__Output);
  'count'?: (string);
  'model'?: (string);
  'createdAt': (string);
  'revision': (string);
  'match'?: (_gateway_v1_ModelMatch__Output | null);
  '_amountUsd'?: "amountUsd";
  '_period'?: "period";
  '_count'?: "count";
  '_model'?: "model";
  '_match'?: "match";
}
