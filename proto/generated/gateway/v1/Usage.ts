// Original file: proto/gateway/v1/usage.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ExportUsageRequest as _gateway_v1_ExportUsageRequest, ExportUsageRequest__Output as _gateway_v1_ExportUsageRequest__Output } from '../../gateway/v1/ExportUsageRequest.ts';
import type { ExportUsageResponse as _gateway_v1_ExportUsageResponse, ExportUsageResponse__Output as _gateway_v1_ExportUsageResponse__Output } from '../../gateway/v1/ExportUsageResponse.ts';
import type { UsageTotalsRequest as _gateway_v1_UsageTotalsRequest, UsageTotalsRequest__Output as _gateway_v1_UsageTotalsRequest__Output } from '../../gateway/v1/UsageTotalsRequest.ts';
import type { UsageTotalsResponse as _gateway_v1_UsageTotalsResponse, UsageTotalsResponse__Output as _gateway_v1_UsageTotalsResponse__Output } from '../../gateway/v1/UsageTotalsResponse.ts';

export interface UsageClient extends grpc.Client {
  Export(argument: _gateway_v1_ExportUsageRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gateway_v1_ExportUsageResponse__Output>;
  Export(argument: _gateway_v1_ExportUsageRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gateway_v1_ExportUsageResponse__Output>;
  export(argument: _gateway_v1_ExportUsageRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gateway_v1_ExportUsageResponse__Output>;
  export(argument: _gateway_v1_ExportUsageRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gateway_v1_ExportUsageResponse__Output>;
  
  Totals(argument: _gateway_v1_UsageTotalsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  Totals(argument: _gateway_v1_UsageTotalsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  Totals(argument: _gateway_v1_UsageTotalsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  Totals(argument: _gateway_v1_UsageTotalsRequest, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  totals(argument: _gateway_v1_UsageTotalsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  totals(argument: _gateway_v1_UsageTotalsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  totals(argument: _gateway_v1_UsageTotalsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  totals(argument: _gateway_v1_UsageTotalsRequest, callback: grpc.requestCallback<_gateway_v1_UsageTotalsResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface UsageHandlers extends grpc.UntypedServiceImplementation {
  Export: grpc.handleServerStreamingCall<_gateway_v1_ExportUsageRequest__Output, _gateway_v1_ExportUsageResponse>;
  
  Totals: grpc.handleUnaryCall<_gateway_v1_UsageTotalsRequest__Output, _gateway_v1_UsageTotalsResponse>;
  
}

export interface UsageDefinition extends grpc.ServiceDefinition {
  Export: MethodDefinition<_gateway_v1_ExportUsageRequest, _gateway_v1_ExportUsageResponse, _gateway_v1_ExportUsageRequest__Output, _gateway_v1_ExportUsageResponse__Output>
  Totals: MethodDefinition<_gateway_v1_UsageTotalsRequest, _gateway_v1_UsageTotalsResponse, _gateway_v1_UsageTotalsRequest__Output, _gateway_v1_UsageTotalsResponse__Output>
}
