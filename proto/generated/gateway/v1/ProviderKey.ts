// Original file: proto/gateway/v1/provider_keys.proto

import type { ProviderKeySettings as _gateway_v1_ProviderKeySettings, ProviderKeySettings__Output as _gateway_v1_ProviderKeySettings__Output } from '../../gateway/v1/ProviderKeySettings.ts';
import type { Long } from '@grpc/proto-loader';

export interface ProviderKey {
  'id'?: (string);
  'organizationId'?: (string);
  'provider'?: (string);
  'name'?: (string);
  'hint'?: (string);
  'settings'?: (_gateway_v1_ProviderKeySettings | null);
  'priority'?: (number);
  'weight'?: (number);
  'enabled'?: (boolean);
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
}

export interface ProviderKey__Output {
  'id': (string);
  'organizationId': (string);
  'provider': (string);
  'name': (string);
  'hint': (string);
  'settings': (_gateway_v1_ProviderKeySettings__Output | null);
  'priority': (number);
  'weight': (number);
  'enabled': (boolean);
  'createdAt': (string);
  'revision': (string);
}
