// Original file: proto/gateway/v1/access.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';
import type { KeyRecord as _gateway_v1_KeyRecord, KeyRecord__Output as _gateway_v1_KeyRecord__Output } from '../../gateway/v1/KeyRecord.ts';
import type { ScopeRecord as _gateway_v1_ScopeRecord, ScopeRecord__Output as _gateway_v1_ScopeRecord__Output } from '../../gateway/v1/ScopeRecord.ts';
import type { OrganizationRecord as _gateway_v1_OrganizationRecord, OrganizationRecord__Output as _gateway_v1_OrganizationRecord__Output } from '../../gateway/v1/OrganizationRecord.ts';
import type { SignedRecord as _gateway_v1_SignedRecord, SignedRecord__Output as _gateway_v1_SignedRecord__Output } from '../../gateway/v1/SignedRecord.ts';

export interface ResolveResponse {
  'asOf'?: (_gateway_v1_Position | null);
  'key'?: (_gateway_v1_KeyRecord | null);
  'scope'?: (_gateway_v1_ScopeRecord | null);
  'organization'?: (_gateway_v1_OrganizationRecord | null);
  'signed'?: (_gateway_v1_SignedRecord)[];
  'recordKeys'?: (Buffer | Uint8Array | string)[];
  '_key'?: "key";
  '_scope'?: "scope";
  '_organization'?: "organization";
}

export interface ResolveResponse__Output {
  'asOf': (_gateway_v1_Position__Output | null);
  'key'?: (_gateway_v1_KeyRecord__Output | null);
  'scope'?: (_gateway_v1_ScopeRecord__Output | null);
  'organization'?: (_gateway_v1_OrganizationRecord__Output | null);
  'signed': (_gateway_v1_SignedRecord__Output)[];
  'recordKeys': (Buffer)[];
  '_key'?: "key";
  '_scope'?: "scope";
  '_organization'?: "organization";
}
