// Original file: proto/gateway/v1/webhooks.proto

import type { Long } from '@grpc/proto-loader';

export interface UpdateWebhookRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'name'?: (string);
  'url'?: (string);
  'enabled'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_url'?: "url";
  '_enabled'?: "enabled";
}

export interface UpdateWebhookRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'name'?: (string);
  'url'?: (string);
  'enabled'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_url'?: "url";
  '_enabled'?: "enabled";
}
