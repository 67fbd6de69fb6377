// Original file: proto/gateway/v1/webhooks.proto

import type { Long } from '@grpc/proto-loader';

export interface Webhook {
  'id'?: (string);
  'organizationId'?: (string);
  'name'?: (string);
  'url'?: (string);
  'enabled'?: (boolean);
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
}

export interface Webhook__Output {
  'id': (string);
  'organizationId': (string);
  'name': (string);
  'url': (string);
  'enabled': (boolean);
  'createdAt': (string);
  'revision': (string);
}
