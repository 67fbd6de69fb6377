// Original file: proto/gateway/v1/limits.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateLimitRequest as _gateway_v1_CreateLimitRequest, CreateLimitRequest__Output as _gateway_v1_CreateLimitRequest__Output } from '../../gateway/v1/CreateLimitRequest.ts';
import type { DeleteLimitRequest as _gateway_v1_DeleteLimitRequest, DeleteLimitRequest__Output as _gateway_v1_DeleteLimitRequest__Output } from '../../gateway/v1/DeleteLimitRequest.ts';
import type { DeleteLimitResponse as _gateway_v1_DeleteLimitResponse, DeleteLimitResponse__Output as _gateway_v1_DeleteLimitResponse__Output } from '../../gateway/v1/DeleteLimitResponse.ts';
import type { GetLimitRequest as _gateway_v1_GetLimitRequest, GetLimitRequest__Output as _gateway_v1_GetLimitRequest__Output } from '../../gateway/v1/GetLimitRequest.ts';
import type { Limit as _gateway_v1_Limit, Limit__Output as _gateway_v1_Limit__Output } from '../../gateway/v1/Limit.ts';
import type { ListLimitsRequest as _gateway_v1_ListLimitsRequest, ListLimitsRequest__Output as _gateway_v1_ListLimitsRequest__Output } from '../../gateway/v1/ListLimitsRequest.ts';
import type { ListLimitsResponse as _gateway_v1_ListLimitsResponse, ListLimitsResponse__Output as _gateway_v1_ListLimitsResponse__Output } from '../../gateway/v1/ListLimitsResponse.ts';
import type { UpdateLimitRequest as _gateway_v1_UpdateLimitRequest, UpdateLimitRequest__Output as _gateway_v1_UpdateLimitRequest__Output } from '../../gateway/v1/UpdateLimitRequest.ts';

export interface LimitsClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateLimitRequest, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateLimitRequest, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeleteLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteLimitRequest, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteLimitRequest, callback: grpc.requestCallback<_gateway_v1_DeleteLimitResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetLimitRequest, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetLimitRequest, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListLimitsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListLimitsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListLimitsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListLimitsRequest, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListLimitsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListLimitsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListLimitsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListLimitsRequest, callback: grpc.requestCallback<_gateway_v1_ListLimitsResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdateLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateLimitRequest, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateLimitRequest, callback: grpc.requestCallback<_gateway_v1_Limit__Output>): grpc.ClientUnaryCall;
  
}

export interface LimitsHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateLimitRequest__Output, _gateway_v1_Limit>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeleteLimitRequest__Output, _gateway_v1_DeleteLimitResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetLimitRequest__Output, _gateway_v1_Limit>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListLimitsRequest__Output, _gateway_v1_ListLimitsResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdateLimitRequest__Output, _gateway_v1_Limit>;
  
}

export interface LimitsDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateLimitRequest, _gateway_v1_Limit, _gateway_v1_CreateLimitRequest__Output, _gateway_v1_Limit__Output>
  Delete: MethodDefinition<_gateway_v1_DeleteLimitRequest, _gateway_v1_DeleteLimitResponse, _gateway_v1_DeleteLimitRequest__Output, _gateway_v1_DeleteLimitResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetLimitRequest, _gateway_v1_Limit, _gateway_v1_GetLimitRequest__Output, _gateway_v1_Limit__Output>
  List: MethodDefinition<_gateway_v1_ListLimitsRequest, _gateway_v1_ListLimitsResponse, _gateway_v1_ListLimitsRequest__Output, _gateway_v1_ListLimitsResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdateLimitRequest, _gateway_v1_Limit, _gateway_v1_UpdateLimitRequest__Output, _gateway_v1_Limit__Output>
}
