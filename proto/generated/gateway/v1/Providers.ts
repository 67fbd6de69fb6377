// Original file: proto/gateway/v1/providers.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateProviderRequest as _gateway_v1_CreateProviderRequest, CreateProviderRequest__Output as _gateway_v1_CreateProviderRequest__Output } from '../../gateway/v1/CreateProviderRequest.ts';
import type { DeleteProviderRequest as _gateway_v1_DeleteProviderRequest, DeleteProviderRequest__Output as _gateway_v1_DeleteProviderRequest__Output } from '../../gateway/v1/DeleteProviderRequest.ts';
import type { DeleteProviderResponse as _gateway_v1_DeleteProviderResponse, DeleteProviderResponse__Output as _gateway_v1_DeleteProviderResponse__Output } from '../../gateway/v1/DeleteProviderResponse.ts';
import type { GetProviderRequest as _gateway_v1_GetProviderRequest, GetProviderRequest__Output as _gateway_v1_GetProviderRequest__Output } from '../../gateway/v1/GetProviderRequest.ts';
import type { ListProvidersRequest as _gateway_v1_ListProvidersRequest, ListProvidersRequest__Output as _gateway_v1_ListProvidersRequest__Output } from '../../gateway/v1/ListProvidersRequest.ts';
import type { ListProvidersResponse as _gateway_v1_ListProvidersResponse, ListProvidersResponse__Output as _gateway_v1_ListProvidersResponse__Output } from '../../gateway/v1/ListProvidersResponse.ts';
import type { Provider as _gateway_v1_Provider, Provider__Output as _gateway_v1_Provider__Output } from '../../gateway/v1/Provider.ts';
import type { UpdateProviderRequest as _gateway_v1_UpdateProviderRequest, UpdateProviderRequest__Output as _gateway_v1_UpdateProviderRequest__Output } from '../../gateway/v1/UpdateProviderRequest.ts';

export interface ProvidersClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProviderRequest, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProviderRequest, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeleteProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteProviderRequest, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteProviderRequest, callback: grpc.requestCallback<_gateway_v1_DeleteProviderResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetProviderRequest, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetProviderRequest, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListProvidersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProvidersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProvidersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProvidersRequest, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProvidersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProvidersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProvidersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProvidersRequest, callback: grpc.requestCallback<_gateway_v1_ListProvidersResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdateProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateProviderRequest, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateProviderRequest, callback: grpc.requestCallback<_gateway_v1_Provider__Output>): grpc.ClientUnaryCall;
  
}

export interface ProvidersHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateProviderRequest__Output, _gateway_v1_Provider>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeleteProviderRequest__Output, _gateway_v1_DeleteProviderResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetProviderRequest__Output, _gateway_v1_Provider>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListProvidersRequest__Output, _gateway_v1_ListProvidersResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdateProviderRequest__Output, _gateway_v1_Provider>;
  
}

export interface ProvidersDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateProviderRequest, _gateway_v1_Provider, _gateway_v1_CreateProviderRequest__Output, _gateway_v1_Provider__Output>
  Delete: MethodDefinition<_gateway_v1_DeleteProviderRequest, _gateway_v1_DeleteProviderResponse, _gateway_v1_DeleteProviderRequest__Output, _gateway_v1_DeleteProviderResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetProviderRequest, _gateway_v1_Provider, _gateway_v1_GetProviderRequest__Output, _gateway_v1_Provider__Output>
  List: MethodDefinition<_gateway_v1_ListProvidersRequest, _gateway_v1_ListProvidersResponse, _gateway_v1_ListProvidersRequest__Output, _gateway_v1_ListProvidersResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdateProviderRequest, _gateway_v1_Provider, _gateway_v1_UpdateProviderRequest__Output, _gateway_v1_Provider__Output>
}
