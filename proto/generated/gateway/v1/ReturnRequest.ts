// Original file: proto/gateway/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface ReturnRequest {
  'session'?: (string);
  'budgetId'?: (string);
  'window'?: (string);
  'seq'?: (number | string | Long);
  'amountNanoUsd'?: (string);
  'shutNanoUsd'?: (string);
  '_shutNanoUsd'?: "shutNanoUsd";
}

export interface ReturnRequest__Output {
  'session': (string);
  'budgetId': (string);
  'window': (string);
  'seq': (string);
  'amountNanoUsd': (string);
  'shutNanoUsd'?: (string);
  '_shutNanoUsd'?: "shutNanoUsd";
}
