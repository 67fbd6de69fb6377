// Original file: proto/gateway/v1/access.proto

import type { Long } from '@grpc/proto-loader';

export interface Position {
  'epoch'?: (string);
  'revision'?: (number | string | Long);
}

export interface Position__Output {
  'epoch': (string);
  'revision': (string);
}
