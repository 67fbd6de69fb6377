// Original file: proto/gateway/v1/provider_keys.proto

import type { ProviderSecret as _gateway_v1_ProviderSecret, ProviderSecret__Output as _gateway_v1_ProviderSecret__Output } from '../../gateway/v1/ProviderSecret.ts';
import type { ProviderKeySettings as _gateway_v1_ProviderKeySettings, ProviderKeySettings__Output as _gateway_v1_ProviderKeySettings__Output } from '../../gateway/v1/ProviderKeySettings.ts';

export interface CreateProviderKeyRequest {
  'organizationId'?: (string);
  'provider'?: (string);
  'name'?: (string);
  'secret'?: (_gateway_v1_ProviderSecret | null);
  'settings'?: (_gateway_v1_ProviderKeySettings | null);
  'priority'?: (number);
  'weight'?: (number);
  'enabled'?: (boolean);
  '_settings'?: "settings";
  '_priority'?: "priority";
  '_weight'?: "weight";
  '_enabled'?: "enabled";
}

export interface CreateProviderKeyRequest__Output {
  'organizationId': (string);
  'provider': (string);
  'name': (string);
  'secret': (_gateway_v1_ProviderSecret__Output | null);
  'settings'?: (_gateway_v1_ProviderKeySettings__Output | null);
  'priority'?: (number);
  'weight'?: (number);
  'enabled'?: (boolean);
  '_settings'?: "settings";
  '_priority'?: "priority";
  '_weight'?: "weight";
  '_enabled'?: "enabled";
}
