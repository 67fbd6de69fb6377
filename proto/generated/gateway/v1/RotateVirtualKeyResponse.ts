// Original file: proto/gateway/v1/virtual_keys.proto

import type { VirtualKey as _gateway_v1_VirtualKey, VirtualKey__Output as _gateway_v1_VirtualKey__Output } from '../../gateway/v1/VirtualKey.ts';

export interface RotateVirtualKeyResponse {
  'virtualKey'?: (_gateway_v1_VirtualKey | null);
  'value'?: (string);
}

export interface RotateVirtualKeyResponse__Output {
  'virtualKey': (_gateway_v1_VirtualKey__Output | null);
  'value': (string);
}
