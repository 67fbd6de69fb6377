// Original file: proto/gateway/v1/virtual_keys.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateVirtualKeyRequest as _gateway_v1_CreateVirtualKeyRequest, CreateVirtualKeyRequest__Output as _gateway_v1_CreateVirtualKeyRequest__Output } from '../../gateway/v1/CreateVirtualKeyRequest.ts';
import type { CreateVirtualKeyResponse as _gateway_v1_CreateVirtualKeyResponse, CreateVirtualKeyResponse__Output as _gateway_v1_CreateVirtualKeyResponse__Output } from '../../gateway/v1/CreateVirtualKeyResponse.ts';
import type { GetVirtualKeyRequest as _gateway_v1_GetVirtualKeyRequest, GetVirtualKeyRequest__Output as _gateway_v1_GetVirtualKeyRequest__Output } from '../../gateway/v1/GetVirtualKeyRequest.ts';
import type { ListVirtualKeysRequest as _gateway_v1_ListVirtualKeysRequest, ListVirtualKeysRequest__Output as _gateway_v1_ListVirtualKeysRequest__Output } from '../../gateway/v1/ListVirtualKeysRequest.ts';
import type { ListVirtualKeysResponse as _gateway_v1_ListVirtualKeysResponse, ListVirtualKeysResponse__Output as _gateway_v1_ListVirtualKeysResponse__Output } from '../../gateway/v1/ListVirtualKeysResponse.ts';
import type { RevokeVirtualKeyRequest as _gateway_v1_RevokeVirtualKeyRequest, RevokeVirtualKeyRequest__Output as _gateway_v1_RevokeVirtualKeyRequest__Output } from '../../gateway/v1/RevokeVirtualKeyRequest.ts';
import type { RotateVirtualKeyRequest as _gateway_v1_RotateVirtualKeyRequest, RotateVirtualKeyRequest__Output as _gateway_v1_RotateVirtualKeyRequest__Output } from '../../gateway/v1/RotateVirtualKeyRequest.ts';
import type { RotateVirtualKeyResponse as _gateway_v1_RotateVirtualKeyResponse, RotateVirtualKeyResponse__Output as _gateway_v1_RotateVirtualKeyResponse__Output } from '../../gateway/v1/RotateVirtualKeyResponse.ts';
import type { UpdateVirtualKeyRequest as _gateway_v1_UpdateVirtualKeyRequest, UpdateVirtualKeyRequest__Output as _gateway_v1_UpdateVirtualKeyRequest__Output } from '../../gateway/v1/UpdateVirtualKeyRequest.ts';
import type { VirtualKey as _gateway_v1_VirtualKey, VirtualKey__Output as _gateway_v1_VirtualKey__Output } from '../../gateway/v1/VirtualKey.ts';

export interface VirtualKeysClient extends grpc.Client {
  Create(argument: _gateway_v1_CreateVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreateVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreateVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_CreateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListVirtualKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListVirtualKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListVirtualKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListVirtualKeysRequest, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListVirtualKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListVirtualKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListVirtualKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListVirtualKeysRequest, callback: grpc.requestCallback<_gateway_v1_ListVirtualKeysResponse__Output>): grpc.ClientUnaryCall;
  
  Revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  revoke(argument: _gateway_v1_RevokeVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  
  Rotate(argument: _gateway_v1_RotateVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  Rotate(argument: _gateway_v1_RotateVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  Rotate(argument: _gateway_v1_RotateVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  Rotate(argument: _gateway_v1_RotateVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  rotate(argument: _gateway_v1_RotateVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  rotate(argument: _gateway_v1_RotateVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  rotate(argument: _gateway_v1_RotateVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  rotate(argument: _gateway_v1_RotateVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_RotateVirtualKeyResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdateVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdateVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateVirtualKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateVirtualKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateVirtualKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdateVirtualKeyRequest, callback: grpc.requestCallback<_gateway_v1_VirtualKey__Output>): grpc.ClientUnaryCall;
  
}

export interface VirtualKeysHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreateVirtualKeyRequest__Output, _gateway_v1_CreateVirtualKeyResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetVirtualKeyRequest__Output, _gateway_v1_VirtualKey>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListVirtualKeysRequest__Output, _gateway_v1_ListVirtualKeysResponse>;
  
  Revoke: grpc.handleUnaryCall<_gateway_v1_RevokeVirtualKeyRequest__Output, _gateway_v1_VirtualKey>;
  
  Rotate: grpc.handleUnaryCall<_gateway_v1_RotateVirtualKeyRequest__Output, _gateway_v1_RotateVirtualKeyResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdateVirtualKeyRequest__Output, _gateway_v1_VirtualKey>;
  
}

export interface VirtualKeysDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreateVirtualKeyRequest, _gateway_v1_CreateVirtualKeyResponse, _gateway_v1_CreateVirtualKeyRequest__Output, _gateway_v1_CreateVirtualKeyResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetVirtualKeyRequest, _gateway_v1_VirtualKey, _gateway_v1_GetVirtualKeyRequest__Output, _gateway_v1_VirtualKey__Output>
  List: MethodDefinition<_gateway_v1_ListVirtualKeysRequest, _gateway_v1_ListVirtualKeysResponse, _gateway_v1_ListVirtualKeysRequest__Output, _gateway_v1_ListVirtualKeysResponse__Output>
  Revoke: MethodDefinition<_gateway_v1_RevokeVirtualKeyRequest, _gateway_v1_VirtualKey, _gateway_v1_RevokeVirtualKeyRequest__Output, _gateway_v1_VirtualKey__Output>
  Rotate: MethodDefinition<_gateway_v1_RotateVirtualKeyRequest, _gateway_v1_RotateVirtualKeyResponse, _gateway_v1_RotateVirtualKeyRequest__Output, _gateway_v1_RotateVirtualKeyResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdateVirtualKeyRequest, _gateway_v1_VirtualKey, _gateway_v1_UpdateVirtualKeyRequest__Output, _gateway_v1_VirtualKey__Output>
}
