// Original file: proto/gateway/v1/prices.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreatePriceRequest as _gateway_v1_CreatePriceRequest, CreatePriceRequest__Output as _gateway_v1_CreatePriceRequest__Output } from '../../gateway/v1/CreatePriceRequest.ts';
import type { DeletePriceRequest as _gateway_v1_DeletePriceRequest, DeletePriceRequest__Output as _gateway_v1_DeletePriceRequest__Output } from '../../gateway/v1/DeletePriceRequest.ts';
import type { DeletePriceResponse as _gateway_v1_DeletePriceResponse, DeletePriceResponse__Output as _gateway_v1_DeletePriceResponse__Output } from '../../gateway/v1/DeletePriceResponse.ts';
import type { GetPriceRequest as _gateway_v1_GetPriceRequest, GetPriceRequest__Output as _gateway_v1_GetPriceRequest__Output } from '../../gateway/v1/GetPriceRequest.ts';
import type { ListPricesRequest as _gateway_v1_ListPricesRequest, ListPricesRequest__Output as _gateway_v1_ListPricesRequest__Output } from '../../gateway/v1/ListPricesRequest.ts';
import type { ListPricesResponse as _gateway_v1_ListPricesResponse, ListPricesResponse__Output as _gateway_v1_ListPricesResponse__Output } from '../../gateway/v1/ListPricesResponse.ts';
import type { Price as _gateway_v1_Price, Price__Output as _gateway_v1_Price__Output } from '../../gateway/v1/Price.ts';
import type { UpdatePriceRequest as _gateway_v1_UpdatePriceRequest, UpdatePriceRequest__Output as _gateway_v1_UpdatePriceRequest__Output } from '../../gateway/v1/UpdatePriceRequest.ts';

export interface PricesClient extends grpc.Client {
  Create(argument: _gateway_v1_CreatePriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreatePriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreatePriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreatePriceRequest, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePriceRequest, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeletePriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeletePriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeletePriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeletePriceRequest, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePriceRequest, callback: grpc.requestCallback<_gateway_v1_DeletePriceResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetPriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetPriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetPriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetPriceRequest, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPriceRequest, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListPricesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListPricesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListPricesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListPricesRequest, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPricesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPricesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPricesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPricesRequest, callback: grpc.requestCallback<_gateway_v1_ListPricesResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdatePriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdatePriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdatePriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdatePriceRequest, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePriceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePriceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePriceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePriceRequest, callback: grpc.requestCallback<_gateway_v1_Price__Output>): grpc.ClientUnaryCall;
  
}

export interface PricesHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreatePriceRequest__Output, _gateway_v1_Price>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeletePriceRequest__Output, _gateway_v1_DeletePriceResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetPriceRequest__Output, _gateway_v1_Price>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListPricesRequest__Output, _gateway_v1_ListPricesResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdatePriceRequest__Output, _gateway_v1_Price>;
  
}

export interface PricesDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreatePriceRequest, _gateway_v1_Price, _gateway_v1_CreatePriceRequest__Output, _gateway_v1_Price__Output>
  Delete: MethodDefinition<_gateway_v1_DeletePriceRequest, _gateway_v1_DeletePriceResponse, _gateway_v1_DeletePriceRequest__Output, _gateway_v1_DeletePriceResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetPriceRequest, _gateway_v1_Price, _gateway_v1_GetPriceRequest__Output, _gateway_v1_Price__Output>
  List: MethodDefinition<_gateway_v1_ListPricesRequest, _gateway_v1_ListPricesResponse, _gateway_v1_ListPricesRequest__Output, _gateway_v1_ListPricesResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdatePriceRequest, _gateway_v1_Price, _gateway_v1_UpdatePriceRequest__Output, _gateway_v1_Price__Output>
}
