// Original file: proto/gateway/v1/virtual_keys.proto

import type { VirtualKey as _gateway_v1_VirtualKey, VirtualKey__Output as _gateway_v1_VirtualKey__Output } from '../../gateway/v1/VirtualKey.ts';

export interface ListVirtualKeysResponse {
  'virtualKeys'?: (_gateway_v1_VirtualKey)[];
  'nextPageToken'?: (string);
}

export interface ListVirtualKeysResponse__Output {
  'virtualKeys': (_gateway_v1_VirtualKey__Output)[];
  'nextPageToken': (string);
}
