// Original file: proto/gateway/v1/provider_keys.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateProviderKeyRequest as _gateway_v1_CreateProviderKeyRequest, CreateProviderKeyRequest__Output as _gateway_v1_CreateProviderKeyRequest__Output } from '../../gateway/v1/CreateProviderKeyRequest.ts';
import type { DeleteProviderKeyRequest as _gateway_v1_DeleteProviderKeyRequest, DeleteProviderKeyRequest__Output as _gateway_v1_DeleteProviderKeyRequest__Output } from '../../gateway/v1/DeleteProviderKeyRequest.ts';
import type { DeleteProviderKeyResponse as _gateway_v1_DeleteProviderKeyResponse, DeleteProviderKeyResponse__Output as _gateway_v1_DeleteProviderKeyResponse__Output } from '../../gateway/v1/DeleteProviderKeyResponse.ts';
import type { GetProviderKeyRequest as _gateway_v1_GetProviderKeyRequest, GetProviderKeyRequest__Output as _gateway_v1_GetProviderKeyRequest__Output } from '../../gateway/v1/GetProviderKeyRequest.ts';
import type { ListProviderKeysRequest as _gateway_v1_ListProviderKeysRequest, ListProviderKeysRequest__Output as _gateway_v1_ListProviderKeysRequest__Output } from '../../gateway/v1/ListProviderKeysRequest.ts';
import type { ListProviderKeysResponse as _gateway_v1_ListProviderKeysResponse, ListProviderKeysResponse__Output as _gateway_v1_ListProviderKeysResponse__Output } from '../../gateway/v1/ListProviderKeysResponse.ts';
import type { ProviderKey as _gateway_v1_ProviderKey, ProviderKey__Output as _gateway_v1_ProviderKey__Output } from '../../gateway/v1/ProviderKey.ts';
import type { UpdateProviderKeyRequest as _gateway_v1_UpdateProviderKeyRequest, UpdateProviderKeyRequest__Output as _gateway_v1_UpdateProviderKeyRequest__Output } from '../../gateway/v1/UpdateProviderKeyRequest.ts';

export interface ProviderKeysClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeleteProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_DeleteProviderKeyResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListProviderKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProviderKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProviderKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProviderKeysRequest, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProviderKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProviderKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProviderKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProviderKeysRequest, callback: grpc.requestCallback<_gateway_v1_ListProviderKeysResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdateProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderKeyRequest, callback: grpc.requestCallback<_gateway_v1_ProviderKey__Output>): grpc.ClientUnaryCall;
  
}

export interface ProviderKeysHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateProviderKeyRequest__Output, _gateway_v1_ProviderKey>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeleteProviderKeyRequest__Output, _gateway_v1_DeleteProviderKeyResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetProviderKeyRequest__Output, _gateway_v1_ProviderKey>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListProviderKeysRequest__Output, _gateway_v1_ListProviderKeysResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdateProviderKeyRequest__Output, _gateway_v1_ProviderKey>;
  
}

export interface ProviderKeysDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateProviderKeyRequest, _gateway_v1_ProviderKey, _gateway_v1_CreateProviderKeyRequest__Output, _gateway_v1_ProviderKey__Output>
  Delete: MethodDefinition<_gateway_v1_DeleteProviderKeyRequest, _gateway_v1_DeleteProviderKeyResponse, _gateway_v1_DeleteProviderKeyRequest__Output, _gateway_v1_DeleteProviderKeyResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetProviderKeyRequest, _gateway_v1_ProviderKey, _gateway_v1_GetProviderKeyRequest__Output, _gateway_v1_ProviderKey__Output>
  List: MethodDefinition<_gateway_v1_ListProviderKeysRequest, _gateway_v1_ListProviderKeysResponse, _gateway_v1_ListProviderKeysRequest__Output, _gateway_v1_ListProviderKeysResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdateProviderKeyRequest, _gateway_v1_ProviderKey, _gateway_v1_UpdateProviderKeyRequest__Output, _gateway_v1_ProviderKey__Output>
}
