// Original file: proto/gateway/v1/audit.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListAuditEventsRequest as _gateway_v1_ListAuditEventsRequest, ListAuditEventsRequest__Output as _gateway_v1_ListAuditEventsRequest__Output } from '../../gateway/v1/ListAuditEventsRequest.ts';
import type { ListAuditEventsResponse as _gateway_v1_ListAuditEventsResponse, ListAuditEventsResponse__Output as _gateway_v1_ListAuditEventsResponse__Output } from '../../gateway/v1/ListAuditEventsResponse.ts';

export interface AuditClient extends grpc.Client {
  List(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAuditEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListAuditEventsRequest, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListAuditEventsRequest, callback: grpc.requestCallback<_gateway_v1_ListAuditEventsResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface AuditHandlers extends grpc.UntypedServiceImplementation {
  List: grpc.handleUnaryCall<_gateway_v1_ListAuditEventsRequest__Output, _gateway_v1_ListAuditEventsResponse>;
  
}

export interface AuditDefinition extends grpc.ServiceDefinition {
  List: MethodDefinition<_gateway_v1_ListAuditEventsRequest, _gateway_v1_ListAuditEventsResponse, _gateway_v1_ListAuditEventsRequest__Output, _gateway_v1_ListAuditEventsResponse__Output>
}
