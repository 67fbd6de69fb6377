// Original file: proto/gateway/v1/webhooks.proto

import type { WebhookDelivery as _gateway_v1_WebhookDelivery, WebhookDelivery__Output as _gateway_v1_WebhookDelivery__Output } from '../../gateway/v1/WebhookDelivery.ts';

export interface ListWebhookDeliveriesResponse {
  'deliveries'?: (_gateway_v1_WebhookDelivery)[];
  'nextPageToken'?: (string);
}

export interface ListWebhookDeliveriesResponse__Output {
  'deliveries': (_gateway_v1_WebhookDelivery__Output)[];
  'nextPageToken': (string);
}
