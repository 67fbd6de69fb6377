// Original file: proto/gateway/v1/budgets.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListBudgetWindowsRequest as _gateway_v1_ListBudgetWindowsRequest, ListBudgetWindowsRequest__Output as _gateway_v1_ListBudgetWindowsRequest__Output } from '../../gateway/v1/ListBudgetWindowsRequest.ts';
import type { ListBudgetWindowsResponse as _gateway_v1_ListBudgetWindowsResponse, ListBudgetWindowsResponse__Output as _gateway_v1_ListBudgetWindowsResponse__Output } from '../../gateway/v1/ListBudgetWindowsResponse.ts';
import type { ListUnsettledRequest as _gateway_v1_ListUnsettledRequest, ListUnsettledRequest__Output as _gateway_v1_ListUnsettledRequest__Output } from '../../gateway/v1/ListUnsettledRequest.ts';
import type { ListUnsettledResponse as _gateway_v1_ListUnsettledResponse, ListUnsettledResponse__Output as _gateway_v1_ListUnsettledResponse__Output } from '../../gateway/v1/ListUnsettledResponse.ts';
import type { ReleaseUnsettledRequest as _gateway_v1_ReleaseUnsettledRequest, ReleaseUnsettledRequest__Output as _gateway_v1_ReleaseUnsettledRequest__Output } from '../../gateway/v1/ReleaseUnsettledRequest.ts';
import type { Unsettled as _gateway_v1_Unsettled, Unsettled__Output as _gateway_v1_Unsettled__Output } from '../../gateway/v1/Unsettled.ts';

export interface BudgetsClient extends grpc.Client {
  ListUnsettled(argument: _gateway_v1_ListUnsettledRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  ListUnsettled(argument: _gateway_v1_ListUnsettledRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  ListUnsettled(argument: _gateway_v1_ListUnsettledRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  ListUnsettled(argument: _gateway_v1_ListUnsettledRequest, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  listUnsettled(argument: _gateway_v1_ListUnsettledRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  listUnsettled(argument: _gateway_v1_ListUnsettledRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  listUnsettled(argument: _gateway_v1_ListUnsettledRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  listUnsettled(argument: _gateway_v1_ListUnsettledRequest, callback: grpc.requestCallback<_gateway_v1_ListUnsettledResponse__Output>): grpc.ClientUnaryCall;
  
  ListWindows(argument: _gateway_v1_ListBudgetWindowsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  ListWindows(argument: _gateway_v1_ListBudgetWindowsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  ListWindows(argument: _gateway_v1_ListBudgetWindowsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  ListWindows(argument: _gateway_v1_ListBudgetWindowsRequest, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  listWindows(argument: _gateway_v1_ListBudgetWindowsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  listWindows(argument: _gateway_v1_ListBudgetWindowsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  listWindows(argument: _gateway_v1_ListBudgetWindowsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  listWindows(argument: _gateway_v1_ListBudgetWindowsRequest, callback: grpc.requestCallback<_gateway_v1_ListBudgetWindowsResponse__Output>): grpc.ClientUnaryCall;
  
  Release(argument: _gateway_v1_ReleaseUnsettledRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  Release(argument: _gateway_v1_ReleaseUnsettledRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  Release(argument: _gateway_v1_ReleaseUnsettledRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  Release(argument: _gateway_v1_ReleaseUnsettledRequest, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  release(argument: _gateway_v1_ReleaseUnsettledRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  release(argument: _gateway_v1_ReleaseUnsettledRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  release(argument: _gateway_v1_ReleaseUnsettledRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  release(argument: _gateway_v1_ReleaseUnsettledRequest, callback: grpc.requestCallback<_gateway_v1_Unsettled__Output>): grpc.ClientUnaryCall;
  
}

export interface BudgetsHandlers extends grpc.UntypedServiceImplementation {
  ListUnsettled: grpc.handleUnaryCall<_gateway_v1_ListUnsettledRequest__Output, _gateway_v1_ListUnsettledResponse>;
  
  ListWindows: grpc.handleUnaryCall<_gateway_v1_ListBudgetWindowsRequest__Output, _gateway_v1_ListBudgetWindowsResponse>;
  
  Release: grpc.handleUnaryCall<_gateway_v1_ReleaseUnsettledRequest__Output, _gateway_v1_Unsettled>;
  
}

export interface BudgetsDefinition extends grpc.ServiceDefinition {
  ListUnsettled: MethodDefinition<_gateway_v1_ListUnsettledRequest, _gateway_v1_ListUnsettledResponse, _gateway_v1_ListUnsettledRequest__Output, _gateway_v1_ListUnsettledResponse__Output>
  ListWindows: MethodDefinition<_gateway_v1_ListBudgetWindowsRequest, _gateway_v1_ListBudgetWindowsResponse, _gateway_v1_ListBudgetWindowsRequest__Output, _gateway_v1_ListBudgetWindowsResponse__Output>
  Release: MethodDefinition<_gateway_v1_ReleaseUnsettledRequest, _gateway_v1_Unsettled, _gateway_v1_ReleaseUnsettledRequest__Output, _gateway_v1_Unsettled__Output>
}
