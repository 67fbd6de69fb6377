// Original file: proto/gateway/v1/ledger.proto

import type { DrawOutcome as _gateway_v1_DrawOutcome, DrawOutcome__Output as _gateway_v1_DrawOutcome__Output } from '../../gateway/v1/DrawOutcome.ts';

export interface DrawResponse {
  'outcome'?: (_gateway_v1_DrawOutcome);
  'grantedNanoUsd'?: (string);
  'now'?: (string);
  'epoch'?: (string);
  'attainableNanoUsd'?: (string);
  '_attainableNanoUsd'?: "attainableNanoUsd";
}

export interface DrawResponse__Output {
  'outcome': (_gateway_v1_DrawOutcome__Output);
  'grantedNanoUsd': (string);
  'now': (string);
  'epoch': (string);
  'attainableNanoUsd'?: (string);
  '_attainableNanoUsd'?: "attainableNanoUsd";
}
