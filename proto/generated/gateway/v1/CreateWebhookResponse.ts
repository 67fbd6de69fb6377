// Original file: proto/gateway/v1/webhooks.proto

import type { Webhook as _gateway_v1_Webhook, Webhook__Output as _gateway_v1_Webhook__Output } from '../../gateway/v1/Webhook.ts';

export interface CreateWebhookResponse {
  'webhook'?: (_gateway_v1_Webhook | null);
  'secret'?: (string);
}

export interface CreateWebhookResponse__Output {
  'webhook': (_gateway_v1_Webhook__Output | null);
  'secret': (string);
}
