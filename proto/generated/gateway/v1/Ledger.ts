// Original file: proto/gateway/v1/ledger.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CloseSessionRequest as _gateway_v1_CloseSessionRequest, CloseSessionRequest__Output as _gateway_v1_CloseSessionRequest__Output } from '../../gateway/v1/CloseSessionRequest.ts';
import type { CloseSessionResponse as _gateway_v1_CloseSessionResponse, CloseSessionResponse__Output as _gateway_v1_CloseSessionResponse__Output } from '../../gateway/v1/CloseSessionResponse.ts';
import type { DrawRequest as _gateway_v1_DrawRequest, DrawRequest__Output as _gateway_v1_DrawRequest__Output } from '../../gateway/v1/DrawRequest.ts';
import type { DrawResponse as _gateway_v1_DrawResponse, DrawResponse__Output as _gateway_v1_DrawResponse__Output } from '../../gateway/v1/DrawResponse.ts';
import type { KeepSessionRequest as _gateway_v1_KeepSessionRequest, KeepSessionRequest__Output as _gateway_v1_KeepSessionRequest__Output } from '../../gateway/v1/KeepSessionRequest.ts';
import type { KeepSessionResponse as _gateway_v1_KeepSessionResponse, KeepSessionResponse__Output as _gateway_v1_KeepSessionResponse__Output } from '../../gateway/v1/KeepSessionResponse.ts';
import type { ReportUsageRequest as _gateway_v1_ReportUsageRequest, ReportUsageRequest__Output as _gateway_v1_ReportUsageRequest__Output } from '../../gateway/v1/ReportUsageRequest.ts';
import type { ReportUsageResponse as _gateway_v1_ReportUsageResponse, ReportUsageResponse__Output as _gateway_v1_ReportUsageResponse__Output } from '../../gateway/v1/ReportUsageResponse.ts';
import type { ReturnRequest as _gateway_v1_ReturnRequest, ReturnRequest__Output as _gateway_v1_ReturnRequest__Output } from '../../gateway/v1/ReturnRequest.ts';
import type { ReturnResponse as _gateway_v1_ReturnResponse, ReturnResponse__Output as _gateway_v1_ReturnResponse__Output } from '../../gateway/v1/ReturnResponse.ts';

export interface LedgerClient extends grpc.Client {
  CloseSession(argument: _gateway_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _gateway_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _gateway_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _gateway_v1_CloseSessionRequest, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _gateway_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _gateway_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _gateway_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _gateway_v1_CloseSessionRequest, callback: grpc.requestCallback<_gateway_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  
  Draw(argument: _gateway_v1_DrawRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  Draw(argument: _gateway_v1_DrawRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  Draw(argument: _gateway_v1_DrawRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  Draw(argument: _gateway_v1_DrawRequest, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  draw(argument: _gateway_v1_DrawRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  draw(argument: _gateway_v1_DrawRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  draw(argument: _gateway_v1_DrawRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  draw(argument: _gateway_v1_DrawRequest, callback: grpc.requestCallback<_gateway_v1_DrawResponse__Output>): grpc.ClientUnaryCall;
  
  KeepSession(argument: _gateway_v1_KeepSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  KeepSession(argument: _gateway_v1_KeepSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  KeepSession(argument: _gateway_v1_KeepSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  KeepSession(argument: _gateway_v1_KeepSessionRequest, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  keepSession(argument: _gateway_v1_KeepSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  keepSession(argument: _gateway_v1_KeepSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  keepSession(argument: _gateway_v1_KeepSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  keepSession(argument: _gateway_v1_KeepSessionRequest, callback: grpc.requestCallback<_gateway_v1_KeepSessionResponse__Output>): grpc.ClientUnaryCall;
  
  ReportUsage(argument: _gateway_v1_ReportUsageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  ReportUsage(argument: _gateway_v1_ReportUsageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  ReportUsage(argument: _gateway_v1_ReportUsageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  ReportUsage(argument: _gateway_v1_ReportUsageRequest, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  reportUsage(argument: _gateway_v1_ReportUsageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  reportUsage(argument: _gateway_v1_ReportUsageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  reportUsage(argument: _gateway_v1_ReportUsageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  reportUsage(argument: _gateway_v1_ReportUsageRequest, callback: grpc.requestCallback<_gateway_v1_ReportUsageResponse__Output>): grpc.ClientUnaryCall;
  
  Return(argument: _gateway_v1_ReturnRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  Return(argument: _gateway_v1_ReturnRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  Return(argument: _gateway_v1_ReturnRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  Return(argument: _gateway_v1_ReturnRequest, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  return(argument: _gateway_v1_ReturnRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  return(argument: _gateway_v1_ReturnRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  return(argument: _gateway_v1_ReturnRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  return(argument: _gateway_v1_ReturnRequest, callback: grpc.requestCallback<_gateway_v1_ReturnResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface LedgerHandlers extends grpc.UntypedServiceImplementation {
  CloseSession: grpc.handleUnaryCall<_gateway_v1_CloseSessionRequest__Output, _gateway_v1_CloseSessionResponse>;
  
  Draw: grpc.handleUnaryCall<_gateway_v1_DrawRequest__Output, _gateway_v1_DrawResponse>;
  
  KeepSession: grpc.handleUnaryCall<_gateway_v1_KeepSessionRequest__Output, _gateway_v1_KeepSessionResponse>;
  
  ReportUsage: grpc.handleUnaryCall<_gateway_v1_ReportUsageRequest__Output, _gateway_v1_ReportUsageResponse>;
  
  Return: grpc.handleUnaryCall<_gateway_v1_ReturnRequest__Output, _gateway_v1_ReturnResponse>;
  
}

export interface LedgerDefinition extends grpc.ServiceDefinition {
  CloseSession: MethodDefinition<_gateway_v1_CloseSessionRequest, _gateway_v1_CloseSessionResponse, _gateway_v1_CloseSessionRequest__Output, _gateway_v1_CloseSessionResponse__Output>
  Draw: MethodDefinition<_gateway_v1_DrawRequest, _gateway_v1_DrawResponse, _gateway_v1_DrawRequest__Output, _gateway_v1_DrawResponse__Output>
  KeepSession: MethodDefinition<_gateway_v1_KeepSessionRequest, _gateway_v1_KeepSessionResponse, _gateway_v1_KeepSessionRequest__Output, _gateway_v1_KeepSessionResponse__Output>
  ReportUsage: MethodDefinition<_gateway_v1_ReportUsageRequest, _gateway_v1_ReportUsageResponse, _gateway_v1_ReportUsageRequest__Output, _gateway_v1_ReportUsageResponse__Output>
  Return: MethodDefinition<_gateway_v1_ReturnRequest, _gateway_v1_ReturnResponse, _gateway_v1_ReturnRequest__Output, _gateway_v1_ReturnResponse__Output>
}
