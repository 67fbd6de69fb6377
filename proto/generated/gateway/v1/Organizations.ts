// Original file: proto/gateway/v1/organizations.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateOrganizationRequest as _gateway_v1_CreateOrganizationRequest, CreateOrganizationRequest__Output as _gateway_v1_CreateOrganizationRequest__Output } from '../../gateway/v1/CreateOrganizationRequest.ts';
import type { CreateOrganizationResponse as _gateway_v1_CreateOrganizationResponse, CreateOrganizationResponse__Output as _gateway_v1_CreateOrganizationResponse__Output } from '../../gateway/v1/CreateOrganizationResponse.ts';
import type { GetOrganizationRequest as _gateway_v1_GetOrganizationRequest, GetOrganizationRequest__Output as _gateway_v1_GetOrganizationRequest__Output } from '../../gateway/v1/GetOrganizationRequest.ts';
import type { ListOrganizationsRequest as _gateway_v1_ListOrganizationsRequest, ListOrganizationsRequest__Output as _gateway_v1_ListOrganizationsRequest__Output } from '../../gateway/v1/ListOrganizationsRequest.ts';
import type { ListOrganizationsResponse as _gateway_v1_ListOrganizationsResponse, ListOrganizationsResponse__Output as _gateway_v1_ListOrganizationsResponse__Output } from '../../gateway/v1/ListOrganizationsResponse.ts';
import type { Organization as _gateway_v1_Organization, Organization__Output as _gateway_v1_Organization__Output } from '../../gateway/v1/Organization.ts';
import type { ResumeOrganizationRequest as _gateway_v1_ResumeOrganizationRequest, ResumeOrganizationRequest__Output as _gateway_v1_ResumeOrganizationRequest__Output } from '../../gateway/v1/ResumeOrganizationRequest.ts';
import type { SuspendOrganizationRequest as _gateway_v1_SuspendOrganizationRequest, SuspendOrganizationRequest__Output as _gateway_v1_SuspendOrganizationRequest__Output } from '../../gateway/v1/SuspendOrganizationRequest.ts';
import type { UpdateOrganizationSettingsRequest as _gateway_v1_UpdateOrganizationSettingsRequest, UpdateOrganizationSettingsRequest__Output as _gateway_v1_UpdateOrganizationSettingsRequest__Output } from '../../gateway/v1/UpdateOrganizationSettingsRequest.ts';

export interface OrganizationsClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_CreateOrganizationResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListOrganizationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListOrganizationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListOrganizationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListOrganizationsRequest, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOrganizationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOrganizationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOrganizationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListOrganizationsRequest, callback: grpc.requestCallback<_gateway_v1_ListOrganizationsResponse__Output>): grpc.ClientUnaryCall;
  
  Resume(argument: _gateway_v1_ResumeOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Resume(argument: _gateway_v1_ResumeOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Resume(argument: _gateway_v1_ResumeOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Resume(argument: _gateway_v1_ResumeOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  resume(argument: _gateway_v1_ResumeOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  resume(argument: _gateway_v1_ResumeOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  resume(argument: _gateway_v1_ResumeOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  resume(argument: _gateway_v1_ResumeOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  
  Suspend(argument: _gateway_v1_SuspendOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Suspend(argument: _gateway_v1_SuspendOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Suspend(argument: _gateway_v1_SuspendOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  Suspend(argument: _gateway_v1_SuspendOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  suspend(argument: _gateway_v1_SuspendOrganizationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  suspend(argument: _gateway_v1_SuspendOrganizationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  suspend(argument: _gateway_v1_SuspendOrganizationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  suspend(argument: _gateway_v1_SuspendOrganizationRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  
  UpdateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  UpdateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  UpdateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  UpdateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateOrganizationSettingsRequest, callback: grpc.requestCallback<_gateway_v1_Organization__Output>): grpc.ClientUnaryCall;
  
}

export interface OrganizationsHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateOrganizationRequest__Output, _gateway_v1_CreateOrganizationResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetOrganizationRequest__Output, _gateway_v1_Organization>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListOrganizationsRequest__Output, _gateway_v1_ListOrganizationsResponse>;
  
  Resume: grpc.handleUnaryCall<_gateway_v1_ResumeOrganizationRequest__Output, _gateway_v1_Organization>;
  
  Suspend: grpc.handleUnaryCall<_gateway_v1_SuspendOrganizationRequest__Output, _gateway_v1_Organization>;
  
  UpdateSettings: grpc.handleUnaryCall<_gateway_v1_UpdateOrganizationSettingsRequest__Output, _gateway_v1_Organization>;
  
}

export interface OrganizationsDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateOrganizationRequest, _gateway_v1_CreateOrganizationResponse, _gateway_v1_CreateOrganizationRequest__Output, _gateway_v1_CreateOrganizationResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetOrganizationRequest, _gateway_v1_Organization, _gateway_v1_GetOrganizationRequest__Output, _gateway_v1_Organization__Output>
  List: MethodDefinition<_gateway_v1_ListOrganizationsRequest, _gateway_v1_ListOrganizationsResponse, _gateway_v1_ListOrganizationsRequest__Output, _gateway_v1_ListOrganizationsResponse__Output>
  Resume: MethodDefinition<_gateway_v1_ResumeOrganizationRequest, _gateway_v1_Organization, _gateway_v1_ResumeOrganizationRequest__Output, _gateway_v1_Organization__Output>
  Suspend: MethodDefinition<_gateway_v1_SuspendOrganizationRequest, _gateway_v1_Organization, _gateway_v1_SuspendOrganizationRequest__Output, _gateway_v1_Organization__Output>
  UpdateSettings: MethodDefinition<_gateway_v1_UpdateOrganizationSettingsRequest, _gateway_v1_Organization, _gateway_v1_UpdateOrganizationSettingsRequest__Output, _gateway_v1_Organization__Output>
}
