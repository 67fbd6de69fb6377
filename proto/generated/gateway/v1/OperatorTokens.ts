// Original file: proto/gateway/v1/tokens.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { BootstrapRequest as _gateway_v1_BootstrapRequest, BootstrapRequest__Output as _gateway_v1_BootstrapRequest__Output } from '../../gateway/v1/BootstrapRequest.ts';
import type { BootstrapResponse as _gateway_v1_BootstrapResponse, BootstrapResponse__Output as _gateway_v1_BootstrapResponse__Output } from '../../gateway/v1/BootstrapResponse.ts';
import type { CreateOperatorTokenRequest as _gateway_v1_CreateOperatorTokenRequest, CreateOperatorTokenRequest__Output as _gateway_v1_CreateOperatorTokenRequest__Output } from '../../gateway/v1/CreateOperatorTokenRequest.ts';
import type { CreateOperatorTokenResponse as _gateway_v1_CreateOperatorTokenResponse, CreateOperatorTokenResponse__Output as _gateway_v1_CreateOperatorTokenResponse__Output } from '../../gateway/v1/CreateOperatorTokenResponse.ts';
import type { ListOperatorTokensRequest as _gateway_v1_ListOperatorTokensRequest, ListOperatorTokensRequest__Output as _gateway_v1_ListOperatorTokensRequest__Output } from '../../gateway/v1/ListOperatorTokensRequest.ts';
import type { ListOperatorTokensResponse as _gateway_v1_ListOperatorTokensResponse, ListOperatorTokensResponse__Output as _gateway_v1_ListOperatorTokensResponse__Output } from '../../gateway/v1/ListOperatorTokensResponse.ts';
import type { OperatorToken as _gateway_v1_OperatorToken, OperatorToken__Output as _gateway_v1_OperatorToken__Output } from '../../gateway/v1/OperatorToken.ts';
import type { RevokeOperatorTokenRequest as _gateway_v1_RevokeOperatorTokenRequest, RevokeOperatorTokenRequest__Output as _gateway_v1_RevokeOperatorTokenRequest__Output } from '../../gateway/v1/RevokeOperatorTokenRequest.ts';

export interface OperatorTokensClient extends grpc.Client {
  Bootstrap(argument: _gateway_v1_BootstrapRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  Bootstrap(argument: _gateway_v1_BootstrapRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  Bootstrap(argument: _gateway_v1_BootstrapRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  Bootstrap(argument: _gateway_v1_BootstrapRequest, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  bootstrap(argument: _gateway_v1_BootstrapRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  bootstrap(argument: _gateway_v1_BootstrapRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  bootstrap(argument: _gateway_v1_BootstrapRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  bootstrap(argument: _gateway_v1_BootstrapRequest, callback: grpc.requestCallback<_gateway_v1_BootstrapResponse__Output>): grpc.ClientUnaryCall;
  
  Create(argument: _gateway_v1_CreateOperatorTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateOperatorTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateOperatorTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateOperatorTokenRequest, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOperatorTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOperatorTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOperatorTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOperatorTokenRequest, callback: grpc.requestCallback<_gateway_v1_CreateOperatorTokenResponse__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListOperatorTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListOperatorTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListOperatorTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListOperatorTokensRequest, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOperatorTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOperatorTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOperatorTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOperatorTokensRequest, callback: grpc.requestCallback<_gateway_v1_ListOperatorTokensResponse__Output>): grpc.ClientUnaryCall;
  
  Revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeOperatorTokenRequest, callback: grpc.requestCallback<_gateway_v1_OperatorToken__Output>): grpc.ClientUnaryCall;
  
}

export interface OperatorTokensHandlers extends grpc.UntypedServiceImplementation {
  Bootstrap: grpc.handleUnaryCall<_gateway_v1_BootstrapRequest__Output, _gateway_v1_BootstrapResponse>;
  
  Create: grpc.handleUnaryCall<_gateway_v1_CreateOperatorTokenRequest__Output, _gateway_v1_CreateOperatorTokenResponse>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListOperatorTokensRequest__Output, _gateway_v1_ListOperatorTokensResponse>;
  
  Revoke: grpc.handleUnaryCall<_gateway_v1_RevokeOperatorTokenRequest__Output, _gateway_v1_OperatorToken>;
  
}

export interface OperatorTokensDefinition extends grpc.ServiceDefinition {
  Bootstrap: MethodDefinition<_gateway_v1_BootstrapRequest, _gateway_v1_BootstrapResponse, _gateway_v1_BootstrapRequest__Output, _gateway_v1_BootstrapResponse__Output>
  Create: MethodDefinition<_gateway_v1_CreateOperatorTokenRequest, _gateway_v1_CreateOperatorTokenResponse, _gateway_v1_CreateOperatorTokenRequest__Output, _gateway_v1_CreateOperatorTokenResponse__Output>
  List: MethodDefinition<_gateway_v1_ListOperatorTokensRequest, _gateway_v1_ListOperatorTokensResponse, _gateway_v1_ListOperatorTokensRequest__Output, _gateway_v1_ListOperatorTokensResponse__Output>
  Revoke: MethodDefinition<_gateway_v1_RevokeOperatorTokenRequest, _gateway_v1_OperatorToken, _gateway_v1_RevokeOperatorTokenRequest__Output, _gateway_v1_OperatorToken__Output>
}
