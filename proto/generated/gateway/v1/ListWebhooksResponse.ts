// Original file: proto/gateway/v1/webhooks.proto

import type { Webhook as _gateway_v1_Webhook, Webhook__Output as _gateway_v1_Webhook__Output } from '../../gateway/v1/Webhook.ts';

export interface ListWebhooksResponse {
  'webhooks'?: (_gateway_v1_Webhook)[];
  'nextPageToken'?: (string);
}

export interface ListWebhooksResponse__Output {
  'webhooks': (_gateway_v1_Webhook__Output)[];
  'nextPageToken': (string);
}
