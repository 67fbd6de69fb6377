// Original file: proto/gateway/v1/ledger.proto


export interface UsageCharge {
  'slice'?: (number);
  'escrowNanoUsd'?: (string);
}

export interface UsageCharge__Output {
  'slice': (number);
  'escrowNanoUsd': (string);
}
