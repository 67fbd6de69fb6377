// Original file: proto/gateway/v1/audit.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListAuditEventsRequest as _gateway_v1_ListAuditEventsRequest, ListAuditEventsRequest__Output as _gateway_v1_ListAuditEventsRequest__Output } from '../../gateway/v1/ListAuditEventsRequest.ts';
import type { ListAuditEventsResponse as _gateway_v1_ListAuditEventsResponse, ListAuditEventsResponse__Output as _gateway_v1_ListAuditEventsResponse__Output } from '../../gateway/v1/ListAuditEventsResponse.ts';
import type { VerifyAuditRequest as _gateway_v1_VerifyAuditRequest, VerifyAuditRequest__Output as _gateway_v1_VerifyAuditRequest__Output } from '../../gateway/v1/VerifyAuditRequest.ts';
import type { VerifyAuditResponse as _gateway_v1_VerifyAuditResponse, VerifyAuditResponse__Output as _gateway_v1_VerifyAuditResponse__Output } from '../../gateway/v1/VerifyAuditResponse.ts';

export interface AuditClient extends grpc.Client {
  List(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAuditEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAuditEventsRequest, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  
  Verify(argument: _gateway_v1_VerifyAuditRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  Verify(argument: _gateway_v1_VerifyAuditRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  Verify(argument: _gateway_v1_VerifyAuditRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  Verify(argument: _gateway_v1_VerifyAuditRequest, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  verify(argument: _gateway_v1_VerifyAuditRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  verify(argument: _gateway_v1_VerifyAuditRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  verify(argument: _gateway_v1_VerifyAuditRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  verify(argument: _gateway_v1_VerifyAuditRequest, callback: grpc.requestCallback<_gateway_v1_VerifyAuditResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface AuditHandlers extends grpc.UntypedServiceImplementation {
  List: grpc.handleUnaryCall<_gateway_v1_ListAuditEventsRequest__Output, _gateway_v1_ListAuditEventsResponse>;
  
  Verify: grpc.handleUnaryCall<_gateway_v1_VerifyAuditRequest__Output, _gateway_v1_VerifyAuditResponse>;
  
}

export interface AuditDefinition extends grpc.ServiceDefinition {
  List: MethodDefinition<_gateway_v1_ListAuditEventsRequest, _gateway_v1_ListAuditEventsResponse, _gateway_v1_ListAuditEventsRequest__Output, _gateway_v1_ListAuditEventsResponse__Output>
  Verify: MethodDefinition<_gateway_v1_VerifyAuditRequest, _gateway_v1_VerifyAuditResponse, _gateway_v1_VerifyAuditRequest__Output, _gateway_v1_VerifyAuditResponse__Output>
}
