// Original file: proto/gateway/v1/virtual_keys.proto

import type { VirtualKey as _gateway_v1_VirtualKey, VirtualKey__Output as _gateway_v1_VirtualKey__Output } from '../../gateway/v1/VirtualKey.ts';

export interface CreateVirtualKeyResponse {
  'virtualKey'?: (_gateway_v1_VirtualKey | null);
  'value'?: (string);
  '_value'?: "value";
}

export interface CreateVirtualKeyResponse__Output {
  'virtualKey': (_gateway_v1_VirtualKey__Output | null);
  'value'?: (string);
  '_value'?: "value";
}
