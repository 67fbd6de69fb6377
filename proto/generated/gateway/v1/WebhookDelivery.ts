// Original file: proto/gateway/v1/webhooks.proto

import type { WebhookDeliveryState as _gateway_v1_WebhookDeliveryState, WebhookDeliveryState__Output as _gateway_v1_WebhookDeliveryState__Output } from '../../gateway/v1/WebhookDeliveryState.ts';

export interface WebhookDelivery {
  'id'?: (string);
  'webhookId'?: (string);
  'type'?: (string);
  'state'?: (_gateway_v1_WebhookDeliveryState);
  'attempts'?: (number);
  'lastStatus'?: (number);
  'createdAt'?: (string);
  'nextAttemptAt'?: (string);
  '_lastStatus'?: "lastStatus";
  '_nextAttemptAt'?: "nextAttemptAt";
}

export interface WebhookDelivery__Output {
  'id': (string);
  'webhookId': (string);
  'type': (string);
  'state': (_gateway_v1_WebhookDeliveryState__Output);
  'attempts': (number);
  'lastStatus'?: (number);
  'createdAt': (string);
  'nextAttemptAt'?: (string);
  '_lastStatus'?: "lastStatus";
  '_nextAttemptAt'?: "nextAttemptAt";
}
