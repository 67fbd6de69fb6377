// Original file: proto/gateway/v1/ai_systems.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AiSystem as _gateway_v1_AiSystem, AiSystem__Output as _gateway_v1_AiSystem__Output } from '../../gateway/v1/AiSystem.ts';
import type { CreateAiSystemRequest as _gateway_v1_CreateAiSystemRequest, CreateAiSystemRequest__Output as _gateway_v1_CreateAiSystemRequest__Output } from '../../gateway/v1/CreateAiSystemRequest.ts';
import type { DeleteAiSystemRequest as _gateway_v1_DeleteAiSystemRequest, DeleteAiSystemRequest__Output as _gateway_v1_DeleteAiSystemRequest__Output } from '../../gateway/v1/DeleteAiSystemRequest.ts';
import type { DeleteAiSystemResponse as _gateway_v1_DeleteAiSystemResponse, DeleteAiSystemResponse__Output as _gateway_v1_DeleteAiSystemResponse__Output } from '../../gateway/v1/DeleteAiSystemResponse.ts';
import type { GetAiSystemRequest as _gateway_v1_GetAiSystemRequest, GetAiSystemRequest__Output as _gateway_v1_GetAiSystemRequest__Output } from '../../gateway/v1/GetAiSystemRequest.ts';
import type { ListAiSystemsRequest as _gateway_v1_ListAiSystemsRequest, ListAiSystemsRequest__Output as _gateway_v1_ListAiSystemsRequest__Output } from '../../gateway/v1/ListAiSystemsRequest.ts';
import type { ListAiSystemsResponse as _gateway_v1_ListAiSystemsResponse, ListAiSystemsResponse__Output as _gateway_v1_ListAiSystemsResponse__Output } from '../../gateway/v1/ListAiSystemsResponse.ts';
import type { UpdateAiSystemRequest as _gateway_v1_UpdateAiSystemRequest, UpdateAiSystemRequest__Output as _gateway_v1_UpdateAiSystemRequest__Output } from '../../gateway/v1/UpdateAiSystemRequest.ts';

export interface AiSystemsClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeleteAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_DeleteAiSystemResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListAiSystemsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAiSystemsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAiSystemsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAiSystemsRequest, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAiSystemsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAiSystemsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAiSystemsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAiSystemsRequest, callback: grpc.requestCallback<_gateway_v1_ListAiSystemsResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdateAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateAiSystemRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateAiSystemRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateAiSystemRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateAiSystemRequest, callback: grpc.requestCallback<_gateway_v1_AiSystem__Output>): grpc.ClientUnaryCall;
  
}

export interface AiSystemsHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateAiSystemRequest__Output, _gateway_v1_AiSystem>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeleteAiSystemRequest__Output, _gateway_v1_DeleteAiSystemResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetAiSystemRequest__Output, _gateway_v1_AiSystem>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListAiSystemsRequest__Output, _gateway_v1_ListAiSystemsResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdateAiSystemRequest__Output, _gateway_v1_AiSystem>;
  
}

export interface AiSystemsDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateAiSystemRequest, _gateway_v1_AiSystem, _gateway_v1_CreateAiSystemRequest__Output, _gateway_v1_AiSystem__Output>
  Delete: MethodDefinition<_gateway_v1_DeleteAiSystemRequest, _gateway_v1_DeleteAiSystemResponse, _gateway_v1_DeleteAiSystemRequest__Output, _gateway_v1_DeleteAiSystemResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetAiSystemRequest, _gateway_v1_AiSystem, _gateway_v1_GetAiSystemRequest__Output, _gateway_v1_AiSystem__Output>
  List: MethodDefinition<_gateway_v1_ListAiSystemsRequest, _gateway_v1_ListAiSystemsResponse, _gateway_v1_ListAiSystemsRequest__Output, _gateway_v1_ListAiSystemsResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdateAiSystemRequest, _gateway_v1_AiSystem, _gateway_v1_UpdateAiSystemRequest__Output, _gateway_v1_AiSystem__Output>
}
