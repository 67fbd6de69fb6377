// Original file: proto/gateway/v1/people.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreatePersonRequest as _gateway_v1_CreatePersonRequest, CreatePersonRequest__Output as _gateway_v1_CreatePersonRequest__Output } from '../../gateway/v1/CreatePersonRequest.ts';
import type { DeletePersonRequest as _gateway_v1_DeletePersonRequest, DeletePersonRequest__Output as _gateway_v1_DeletePersonRequest__Output } from '../../gateway/v1/DeletePersonRequest.ts';
import type { DeletePersonResponse as _gateway_v1_DeletePersonResponse, DeletePersonResponse__Output as _gateway_v1_DeletePersonResponse__Output } from '../../gateway/v1/DeletePersonResponse.ts';
import type { GetPersonRequest as _gateway_v1_GetPersonRequest, GetPersonRequest__Output as _gateway_v1_GetPersonRequest__Output } from '../../gateway/v1/GetPersonRequest.ts';
import type { ListPeopleRequest as _gateway_v1_ListPeopleRequest, ListPeopleRequest__Output as _gateway_v1_ListPeopleRequest__Output } from '../../gateway/v1/ListPeopleRequest.ts';
import type { ListPeopleResponse as _gateway_v1_ListPeopleResponse, ListPeopleResponse__Output as _gateway_v1_ListPeopleResponse__Output } from '../../gateway/v1/ListPeopleResponse.ts';
import type { Person as _gateway_v1_Person, Person__Output as _gateway_v1_Person__Output } from '../../gateway/v1/Person.ts';
import type { UpdatePersonRequest as _gateway_v1_UpdatePersonRequest, UpdatePersonRequest__Output as _gateway_v1_UpdatePersonRequest__Output } from '../../gateway/v1/UpdatePersonRequest.ts';

export interface PeopleClient extends grpc.Client {
  Create(argument: _gateway_v1_CreatePersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreatePersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreatePersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Create(argument: _gateway_v1_CreatePersonRequest, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  create(argument: _gateway_v1_CreatePersonRequest, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  
  Delete(argument: _gateway_v1_DeletePersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeletePersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeletePersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _gateway_v1_DeletePersonRequest, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _gateway_v1_DeletePersonRequest, callback: grpc.requestCallback<_gateway_v1_DeletePersonResponse__Output>): grpc.ClientUnaryCall;
  
  Get(argument: _gateway_v1_GetPersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetPersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetPersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Get(argument: _gateway_v1_GetPersonRequest, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  get(argument: _gateway_v1_GetPersonRequest, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  
  List(argument: _gateway_v1_ListPeopleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListPeopleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListPeopleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _gateway_v1_ListPeopleRequest, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPeopleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPeopleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPeopleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _gateway_v1_ListPeopleRequest, callback: grpc.requestCallback<_gateway_v1_ListPeopleResponse__Output>): grpc.ClientUnaryCall;
  
  Update(argument: _gateway_v1_UpdatePersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdatePersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdatePersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  Update(argument: _gateway_v1_UpdatePersonRequest, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePersonRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePersonRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePersonRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  update(argument: _gateway_v1_UpdatePersonRequest, callback: grpc.requestCallback<_gateway_v1_Person__Output>): grpc.ClientUnaryCall;
  
}

export interface PeopleHandlers extends grpc.UntypedServiceImplementation {
  Create: grpc.handleUnaryCall<_gateway_v1_CreatePersonRequest__Output, _gateway_v1_Person>;
  
  Delete: grpc.handleUnaryCall<_gateway_v1_DeletePersonRequest__Output, _gateway_v1_DeletePersonResponse>;
  
  Get: grpc.handleUnaryCall<_gateway_v1_GetPersonRequest__Output, _gateway_v1_Person>;
  
  List: grpc.handleUnaryCall<_gateway_v1_ListPeopleRequest__Output, _gateway_v1_ListPeopleResponse>;
  
  Update: grpc.handleUnaryCall<_gateway_v1_UpdatePersonRequest__Output, _gateway_v1_Person>;
  
}

export interface PeopleDefinition extends grpc.ServiceDefinition {
  Create: MethodDefinition<_gateway_v1_CreatePersonRequest, _gateway_v1_Person, _gateway_v1_CreatePersonRequest__Output, _gateway_v1_Person__Output>
  Delete: MethodDefinition<_gateway_v1_DeletePersonRequest, _gateway_v1_DeletePersonResponse, _gateway_v1_DeletePersonRequest__Output, _gateway_v1_DeletePersonResponse__Output>
  Get: MethodDefinition<_gateway_v1_GetPersonRequest, _gateway_v1_Person, _gateway_v1_GetPersonRequest__Output, _gateway_v1_Person__Output>
  List: MethodDefinition<_gateway_v1_ListPeopleRequest, _gateway_v1_ListPeopleResponse, _gateway_v1_ListPeopleRequest__Output, _gateway_v1_ListPeopleResponse__Output>
  Update: MethodDefinition<_gateway_v1_UpdatePersonRequest, _gateway_v1_Person, _gateway_v1_UpdatePersonRequest__Output, _gateway_v1_Person__Output>
}
