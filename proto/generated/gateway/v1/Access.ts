// Original file: proto/gateway/v1/access.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ResolveRequest as _gateway_v1_ResolveRequest, ResolveRequest__Output as _gateway_v1_ResolveRequest__Output } from '../../gateway/v1/ResolveRequest.ts';
import type { ResolveResponse as _gateway_v1_ResolveResponse, ResolveResponse__Output as _gateway_v1_ResolveResponse__Output } from '../../gateway/v1/ResolveResponse.ts';
import type { WatchRequest as _gateway_v1_WatchRequest, WatchRequest__Output as _gateway_v1_WatchRequest__Output } from '../../gateway/v1/WatchRequest.ts';
import type { WatchResponse as _gateway_v1_WatchResponse, WatchResponse__Output as _gateway_v1_WatchResponse__Output } from '../../gateway/v1/WatchResponse.ts';

export interface AccessClient extends grpc.Client {
  Resolve(argument: _gateway_v1_ResolveRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  Resolve(argument: _gateway_v1_ResolveRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  Resolve(argument: _gateway_v1_ResolveRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  Resolve(argument: _gateway_v1_ResolveRequest, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  resolve(argument: _gateway_v1_ResolveRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  resolve(argument: _gateway_v1_ResolveRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  resolve(argument: _gateway_v1_ResolveRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  resolve(argument: _gateway_v1_ResolveRequest, callback: grpc.requestCallback<_gateway_v1_ResolveResponse__Output>): grpc.ClientUnaryCall;
  
  Watch(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gateway_v1_WatchRequest, _gateway_v1_WatchResponse__Output>;
  Watch(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gateway_v1_WatchRequest, _gateway_v1_WatchResponse__Output>;
  watch(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gateway_v1_WatchRequest, _gateway_v1_WatchResponse__Output>;
  watch(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gateway_v1_WatchRequest, _gateway_v1_WatchResponse__Output>;
  
}

export interface AccessHandlers extends grpc.UntypedServiceImplementation {
  Resolve: grpc.handleUnaryCall<_gateway_v1_ResolveRequest__Output, _gateway_v1_ResolveResponse>;
  
  Watch: grpc.handleBidiStreamingCall<_gateway_v1_WatchRequest__Output, _gateway_v1_WatchResponse>;
  
}

export interface AccessDefinition extends grpc.ServiceDefinition {
  Resolve: MethodDefinition<_gateway_v1_ResolveRequest, _gateway_v1_ResolveResponse, _gateway_v1_ResolveRequest__Output, _gateway_v1_ResolveResponse__Output>
  Watch: MethodDefinition<_gateway_v1_WatchRequest, _gateway_v1_WatchResponse, _gateway_v1_WatchRequest__Output, _gateway_v1_WatchResponse__Output>
}
