// Original file: proto/gateway/v1/guardrails.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateGuardrailRequest as _gateway_v1_CreateGuardrailRequest, CreateGuardrailRequest__Output as _gateway_v1_CreateGuardrailRequest__Output } from '../../gateway/v1/CreateGuardrailRequest.ts';
import type { CreateGuardrailResponse as _gateway_v1_CreateGuardrailResponse, CreateGuardrailResponse__Output as _gateway_v1_CreateGuardrailResponse__Output } from '../../gateway/v1/CreateGuardrailResponse.ts';
import type { DeleteGuardrailRequest as _gateway_v1_DeleteGuardrailRequest, DeleteGuardrailRequest__Output as _gateway_v1_DeleteGuardrailRequest__Output } from '../../gateway/v1/DeleteGuardrailRequest.ts';
import type { DeleteGuardrailResponse as _gateway_v1_DeleteGuardrailResponse, DeleteGuardrailResponse__Output as _gateway_v1_DeleteGuardrailResponse__Output } from '../../gateway/v1/DeleteGuardrailResponse.ts';
import type { GetGuardrailRequest as _gateway_v1_GetGuardrailRequest, GetGuardrailRequest__Output as _gateway_v1_GetGuardrailRequest__Output } from '../../gateway/v1/GetGuardrailRequest.ts';
import type { Guardrail as _gateway_v1_Guardrail, Guardrail__Output as _gateway_v1_Guardrail__Output } from '../../gateway/v1/Guardrail.ts';
import type { ListGuardrailsRequest as _gateway_v1_ListGuardrailsRequest, ListGuardrailsRequest__Output as _gateway_v1_ListGuardrailsRequest__Output } from '../../gateway/v1/ListGuardrailsRequest.ts';
import type { ListGuardrailsResponse as _gateway_v1_ListGuardrailsResponse, ListGuardrailsResponse__Output as _gateway_v1_ListGuardrailsResponse__Output } from '../../gateway/v1/ListGuardrailsResponse.ts';
import type { ReportGuardrailDecisionsRequest as _gateway_v1_ReportGuardrailDecisionsRequest, ReportGuardrailDecisionsRequest__Output as _gateway_v1_ReportGuardrailDecisionsRequest__Output } from '../../gateway/v1/ReportGuardrailDecisionsRequest.ts';
import type { ReportGuardrailDecisionsResponse as _gateway_v1_ReportGuardrailDecisionsResponse, ReportGuardrailDecisionsResponse__Output as _gateway_v1_ReportGuardrailDecisionsResponse__Output } from '../../gateway/v1/ReportGuardrailDecisionsResponse.ts';
import type { RotateGuardrailSecretRequest as _gateway_v1_RotateGuardrailSecretRequest, RotateGuardrailSecretRequest__Output as _gateway_v1_RotateGuardrailSecretRequest__Output } from '../../gateway/v1/RotateGuardrailSecretRequest.ts';
import type { RotateGuardrailSecretResponse as _gateway_v1_RotateGuardrailSecretResponse, RotateGuardrailSecretResponse__Output as _gateway_v1_RotateGuardrailSecretResponse__Output } from '../../gateway/v1/RotateGuardrailSecretResponse.ts';
import type { TestGuardrailsRequest as _gateway_v1_TestGuardrailsRequest, TestGuardrailsRequest__Output as _gateway_v1_TestGuardrailsRequest__Output } from '../../gateway/v1/TestGuardrailsRequest.ts';
import type { TestGuardrailsResponse as _gateway_v1_TestGuardrailsResponse, TestGuardrailsResponse__Output as _gateway_v1_TestGuardrailsResponse__Output } from '../../gateway/v1/TestGuardrailsResponse.ts';
import type { UpdateGuardrailRequest as _gateway_v1_UpdateGuardrailRequest, UpdateGuardrailRequest__Output as _gateway_v1_UpdateGuardrailRequest__Output } from '../../gateway/v1/UpdateGuardrailRequest.ts';

export interface GuardrailsClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_CreateGuardrailResponse__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeleteGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeleteGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeleteGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_DeleteGuardrailResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListGuardrailsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListGuardrailsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListGuardrailsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListGuardrailsRequest, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListGuardrailsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListGuardrailsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListGuardrailsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListGuardrailsRequest, callback: grpc.requestCallback<_gateway_v1_ListGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  
  ReportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  ReportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  ReportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  ReportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  reportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  reportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  reportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  reportDecisions(argument: _gateway_v1_ReportGuardrailDecisionsRequest, callback: grpc.requestCallback<_gateway_v1_ReportGuardrailDecisionsResponse__Output>): grpc.ClientUnaryCall;
  
  RotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateSecret(argument: _gateway_v1_RotateGuardrailSecretRequest, callback: grpc.requestCallback<_gateway_v1_RotateGuardrailSecretResponse__Output>): grpc.ClientUnaryCall;
  
  Test(argument: _gateway_v1_TestGuardrailsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  Test(argument: _gateway_v1_TestGuardrailsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  Test(argument: _gateway_v1_TestGuardrailsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  Test(argument: _gateway_v1_TestGuardrailsRequest, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  test(argument: _gateway_v1_TestGuardrailsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  test(argument: _gateway_v1_TestGuardrailsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  test(argument: _gateway_v1_TestGuardrailsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  test(argument: _gateway_v1_TestGuardrailsRequest, callback: grpc.requestCallback<_gateway_v1_TestGuardrailsResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdateGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateGuardrailRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateGuardrailRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateGuardrailRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateGuardrailRequest, callback: grpc.requestCallback<_gateway_v1_Guardrail__Output>): grpc.ClientUnaryCall;
  
}

export interface GuardrailsHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateGuardrailRequest__Output, _gateway_v1_CreateGuardrailResponse>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeleteGuardrailRequest__Output, _gateway_v1_DeleteGuardrailResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetGuardrailRequest__Output, _gateway_v1_Guardrail>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListGuardrailsRequest__Output, _gateway_v1_ListGuardrailsResponse>;
  
  ReportDecisions: grpc.handleUnaryCall<_gateway_v1_ReportGuardrailDecisionsRequest__Output, _gateway_v1_ReportGuardrailDecisionsResponse>;
  
  RotateSecret: grpc.handleUnaryCall<_gateway_v1_RotateGuardrailSecretRequest__Output, _gateway_v1_RotateGuardrailSecretResponse>;
  
  Test: grpc.handleUnaryCall<_gateway_v1_TestGuardrailsRequest__Output, _gateway_v1_TestGuardrailsResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdateGuardrailRequest__Output, _gateway_v1_Guardrail>;
  
}

export interface GuardrailsDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateGuardrailRequest, _gateway_v1_CreateGuardrailResponse, _gateway_v1_CreateGuardrailRequest__Output, _gateway_v1_CreateGuardrailResponse__Output>
  Delete: MethodDefinition<_gateway_v1_DeleteGuardrailRequest, _gateway_v1_DeleteGuardrailResponse, _gateway_v1_DeleteGuardrailRequest__Output, _gateway_v1_DeleteGuardrailResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetGuardrailRequest, _gateway_v1_Guardrail, _gateway_v1_GetGuardrailRequest__Output, _gateway_v1_Guardrail__Output>
  List: MethodDefinition<_gateway_v1_ListGuardrailsRequest, _gateway_v1_ListGuardrailsResponse, _gateway_v1_ListGuardrailsRequest__Output, _gateway_v1_ListGuardrailsResponse__Output>
  ReportDecisions: MethodDefinition<_gateway_v1_ReportGuardrailDecisionsRequest, _gateway_v1_ReportGuardrailDecisionsResponse, _gateway_v1_ReportGuardrailDecisionsRequest__Output, _gateway_v1_ReportGuardrailDecisionsResponse__Output>
  RotateSecret: MethodDefinition<_gateway_v1_RotateGuardrailSecretRequest, _gateway_v1_RotateGuardrailSecretResponse, _gateway_v1_RotateGuardrailSecretRequest__Output, _gateway_v1_RotateGuardrailSecretResponse__Output>
  Test: MethodDefinition<_gateway_v1_TestGuardrailsRequest, _gateway_v1_TestGuardrailsResponse, _gateway_v1_TestGuardrailsRequest__Output, _gateway_v1_TestGuardrailsResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdateGuardrailRequest, _gateway_v1_Guardrail, _gateway_v1_UpdateGuardrailRequest__Output, _gateway_v1_Guardrail__Output>
}
