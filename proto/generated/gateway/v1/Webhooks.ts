// Original file: proto/gateway/v1/webhooks.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateWebhookRequest as _gateway_v1_CreateWebhookRequest, CreateWebhookRequest__Output as _gateway_v1_CreateWebhookRequest__Output } from '../../gateway/v1/CreateWebhookRequest.ts';
import type { CreateWebhookResponse as _gateway_v1_CreateWebhookResponse, CreateWebhookResponse__Output as _gateway_v1_CreateWebhookResponse__Output } from '../../gateway/v1/CreateWebhookResponse.ts';
import type { DeleteWebhookRequest as _gateway_v1_DeleteWebhookRequest, DeleteWebhookRequest__Output as _gateway_v1_DeleteWebhookRequest__Output } from '../../gateway/v1/DeleteWebhookRequest.ts';
import type { DeleteWebhookResponse as _gateway_v1_DeleteWebhookResponse, DeleteWebhookResponse__Output as _gateway_v1_DeleteWebhookResponse__Output } from '../../gateway/v1/DeleteWebhookResponse.ts';
import type { GetWebhookRequest as _gateway_v1_GetWebhookRequest, GetWebhookRequest__Output as _gateway_v1_GetWebhookRequest__Output } from '../../gateway/v1/GetWebhookRequest.ts';
import type { ListWebhookDeliveriesRequest as _gateway_v1_ListWebhookDeliveriesRequest, ListWebhookDeliveriesRequest__Output as _gateway_v1_ListWebhookDeliveriesRequest__Output } from '../../gateway/v1/ListWebhookDeliveriesRequest.ts';
import type { ListWebhookDeliveriesResponse as _gateway_v1_ListWebhookDeliveriesResponse, ListWebhookDeliveriesResponse__Output as _gateway_v1_ListWebhookDeliveriesResponse__Output } from '../../gateway/v1/ListWebhookDeliveriesResponse.ts';
import type { ListWebhooksRequest as _gateway_v1_ListWebhooksRequest, ListWebhooksRequest__Output as _gateway_v1_ListWebhooksRequest__Output } from '../../gateway/v1/ListWebhooksRequest.ts';
import type { ListWebhooksResponse as _gateway_v1_ListWebhooksResponse, ListWebhooksResponse__Output as _gateway_v1_ListWebhooksResponse__Output } from '../../gateway/v1/ListWebhooksResponse.ts';
import type { RotateWebhookSecretRequest as _gateway_v1_RotateWebhookSecretRequest, RotateWebhookSecretRequest__Output as _gateway_v1_RotateWebhookSecretRequest__Output } from '../../gateway/v1/RotateWebhookSecretRequest.ts';
import type { RotateWebhookSecretResponse as _gateway_v1_RotateWebhookSecretResponse, RotateWebhookSecretResponse__Output as _gateway_v1_RotateWebhookSecretResponse__Output } from '../../gateway/v1/RotateWebhookSecretResponse.ts';
import type { UpdateWebhookRequest as _gateway_v1_UpdateWebhookRequest, UpdateWebhookRequest__Output as _gateway_v1_UpdateWebhookRequest__Output } from '../../gateway/v1/UpdateWebhookRequest.ts';
import type { Webhook as _gateway_v1_Webhook, Webhook__Output as _gateway_v1_Webhook__Output } from '../../gateway/v1/Webhook.ts';

export interface WebhooksClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateWebhookRequest, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateWebhookRequest, callback: grpc.requestCallback<_gateway_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeleteWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteWebhookRequest, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteWebhookRequest, callback: grpc.requestCallback<_gateway_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetWebhookRequest, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetWebhookRequest, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListWebhooksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListWebhooksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListWebhooksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListWebhooksRequest, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListWebhooksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListWebhooksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListWebhooksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListWebhooksRequest, callback: grpc.requestCallback<_gateway_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  
  ListDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ListDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ListDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ListDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  listDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  listDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  listDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  listDeliveries(argument: _gateway_v1_ListWebhookDeliveriesRequest, callback: grpc.requestCallback<_gateway_v1_ListWebhookDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  
  RotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateWebhookSecretRequest, callback: grpc.requestCallback<_gateway_v1_RotateWebhookSecretResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateWebhookRequest, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateWebhookRequest, callback: grpc.requestCallback<_gateway_v1_Webhook__Output>): grpc.ClientUnaryCall;
  
}

export interface WebhooksHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateWebhookRequest__Output, _gateway_v1_CreateWebhookResponse>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeleteWebhookRequest__Output, _gateway_v1_DeleteWebhookResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetWebhookRequest__Output, _gateway_v1_Webhook>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListWebhooksRequest__Output, _gateway_v1_ListWebhooksResponse>;
  
  ListDeliveries: grpc.handleUnaryCall<_gateway_v1_ListWebhookDeliveriesRequest__Output, _gateway_v1_ListWebhookDeliveriesResponse>;
  
  RotateSecret: grpc.handleUnaryCall<_gateway_v1_RotateWebhookSecretRequest__Output, _gateway_v1_RotateWebhookSecretResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdateWebhookRequest__Output, _gateway_v1_Webhook>;
  
}

export interface WebhooksDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateWebhookRequest, _gateway_v1_CreateWebhookResponse, _gateway_v1_CreateWebhookRequest__Output, _gateway_v1_CreateWebhookResponse__Output>
  Delete: MethodDefinition<_gateway_v1_DeleteWebhookRequest, _gateway_v1_DeleteWebhookResponse, _gateway_v1_DeleteWebhookRequest__Output, _gateway_v1_DeleteWebhookResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetWebhookRequest, _gateway_v1_Webhook, _gateway_v1_GetWebhookRequest__Output, _gateway_v1_Webhook__Output>
  List: MethodDefinition<_gateway_v1_ListWebhooksRequest, _gateway_v1_ListWebhooksResponse, _gateway_v1_ListWebhooksRequest__Output, _gateway_v1_ListWebhooksResponse__Output>
  ListDeliveries: MethodDefinition<_gateway_v1_ListWebhookDeliveriesRequest, _gateway_v1_ListWebhookDeliveriesResponse, _gateway_v1_ListWebhookDeliveriesRequest__Output, _gateway_v1_ListWebhookDeliveriesResponse__Output>
  RotateSecret: MethodDefinition<_gateway_v1_RotateWebhookSecretRequest, _gateway_v1_RotateWebhookSecretResponse, _gateway_v1_RotateWebhookSecretRequest__Output, _gateway_v1_RotateWebhookSecretResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdateWebhookRequest, _gateway_v1_Webhook, _gateway_v1_UpdateWebhookRequest__Output, _gateway_v1_Webhook__Output>
}
