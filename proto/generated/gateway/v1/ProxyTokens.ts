// Original file: proto/gateway/v1/tokens.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateProxyTokenRequest as _gateway_v1_CreateProxyTokenRequest, CreateProxyTokenRequest__Output as _gateway_v1_CreateProxyTokenRequest__Output } from '../../gateway/v1/CreateProxyTokenRequest.ts';
import type { CreateProxyTokenResponse as _gateway_v1_CreateProxyTokenResponse, CreateProxyTokenResponse__Output as _gateway_v1_CreateProxyTokenResponse__Output } from '../../gateway/v1/CreateProxyTokenResponse.ts';
import type { ListProxyTokensRequest as _gateway_v1_ListProxyTokensRequest, ListProxyTokensRequest__Output as _gateway_v1_ListProxyTokensRequest__Output } from '../../gateway/v1/ListProxyTokensRequest.ts';
import type { ListProxyTokensResponse as _gateway_v1_ListProxyTokensResponse, ListProxyTokensResponse__Output as _gateway_v1_ListProxyTokensResponse__Output } from '../../gateway/v1/ListProxyTokensResponse.ts';
import type { ProxyToken as _gateway_v1_ProxyToken, ProxyToken__Output as _gateway_v1_ProxyToken__Output } from '../../gateway/v1/ProxyToken.ts';
import type { RevokeProxyTokenRequest as _gateway_v1_RevokeProxyTokenRequest, RevokeProxyTokenRequest__Output as _gateway_v1_RevokeProxyTokenRequest__Output } from '../../gateway/v1/RevokeProxyTokenRequest.ts';

export interface ProxyTokensClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateProxyTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProxyTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProxyTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateProxyTokenRequest, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProxyTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProxyTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProxyTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateProxyTokenRequest, callback: grpc.requestCallback<_gateway_v1_CreateProxyTokenResponse__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListProxyTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProxyTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProxyTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListProxyTokensRequest, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProxyTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProxyTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProxyTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListProxyTokensRequest, callback: grpc.requestCallback<_gateway_v1_ListProxyTokensResponse__Output>): grpc.ClientUnaryCall;
  
  Revoke(argument: _gateway_v1_RevokeProxyTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeProxyTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeProxyTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeProxyTokenRequest, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeProxyTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeProxyTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeProxyTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeProxyTokenRequest, callback: grpc.requestCallback<_gateway_v1_ProxyToken__Output>): grpc.ClientUnaryCall;
  
}

export interface ProxyTokensHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateProxyTokenRequest__Output, _gateway_v1_CreateProxyTokenResponse>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListProxyTokensRequest__Output, _gateway_v1_ListProxyTokensResponse>;
  
  Revoke: grpc.handleUnaryCall<_gateway_v1_RevokeProxyTokenRequest__Output, _gateway_v1_ProxyToken>;
  
}

export interface ProxyTokensDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateProxyTokenRequest, _gateway_v1_CreateProxyTokenResponse, _gateway_v1_CreateProxyTokenRequest__Output, _gateway_v1_CreateProxyTokenResponse__Output>
  List: MethodDefinition<_gateway_v1_ListProxyTokensRequest, _gateway_v1_ListProxyTokensResponse, _gateway_v1_ListProxyTokensRequest__Output, _gateway_v1_ListProxyTokensResponse__Output>
  Revoke: MethodDefinition<_gateway_v1_RevokeProxyTokenRequest, _gateway_v1_ProxyToken, _gateway_v1_RevokeProxyTokenRequest__Output, _gateway_v1_ProxyToken__Output>
}
