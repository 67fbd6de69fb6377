// Original file: proto/gateway/v1/webhooks.proto


export interface DeleteWebhookResponse {
}

export interface DeleteWebhookResponse__Output {
}
