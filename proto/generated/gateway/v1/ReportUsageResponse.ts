// Original file: proto/gateway/v1/ledger.proto


export interface ReportUsageResponse {
  'recorded'?: (number);
  'now'?: (string);
  'epoch'?: (string);
}

export interface ReportUsageResponse__Output {
  'recorded': (number);
  'now': (string);
  'epoch': (string);
}
