// Original file: proto/gateway/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

export interface DrawRequest {
  'session'?: (string);
  'budgetId'?: (string);
  'window'?: (string);
  'seq'?: (number | string | Long);
  'needNanoUsd'?: (string);
  'wantNanoUsd'?: (string);
  'shutNanoUsd'?: (string);
  '_shutNanoUsd'?: "shutNanoUsd";
}

export interface DrawRequest__Output {
  'session': (string);
  'budgetId': (string);
  'window': (string);
  'seq': (string);
  'needNanoUsd': (string);
  'wantNanoUsd': (string);
  'shutNanoUsd'?: (string);
  '_shutNanoUsd'?: "shutNanoUsd";
}
