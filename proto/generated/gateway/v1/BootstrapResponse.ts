// Original file: proto/gateway/v1/tokens.proto

import type { Person as _gateway_v1_Person, Person__Output as _gateway_v1_Person__Output } from '../../gateway/v1/Person.ts';

export interface BootstrapResponse {
  'operator'?: (_gateway_v1_Person | null);
  'token'?: (string);
}

export interface BootstrapResponse__Output {
  'operator': (_gateway_v1_Person__Output | null);
  'token': (string);
}
