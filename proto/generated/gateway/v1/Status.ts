// Original file: proto/gateway/v1/status.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetStatusRequest as _gateway_v1_GetStatusRequest, GetStatusRequest__Output as _gateway_v1_GetStatusRequest__Output } from '../../gateway/v1/GetStatusRequest.ts';
import type { GetStatusResponse as _gateway_v1_GetStatusResponse, GetStatusResponse__Output as _gateway_v1_GetStatusResponse__Output } from '../../gateway/v1/GetStatusResponse.ts';

export interface StatusClient extends grpc.Client {
  Get(argument: _gateway_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetStatusRequest, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetStatusRequest, callback: grpc.requestCallback<_gateway_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface StatusHandlers extends grpc.UntypedServiceImplementation {
  Get: grpc.handleUnaryCall<_gateway_v1_GetStatusRequest__Output, _gateway_v1_GetStatusResponse>;
  
}

export interface StatusDefinition extends grpc.ServiceDefinition {
  Get: MethodDefinition<_gateway_v1_GetStatusRequest, _gateway_v1_GetStatusResponse, _gateway_v1_GetStatusRequest__Output, _gateway_v1_GetStatusResponse__Output>
}
