// Original file: proto/gateway/v1/access.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';
import type { ProxyProgram as _gateway_v1_ProxyProgram, ProxyProgram__Output as _gateway_v1_ProxyProgram__Output } from '../../gateway/v1/ProxyProgram.ts';
import type { ProxyState as _gateway_v1_ProxyState, ProxyState__Output as _gateway_v1_ProxyState__Output } from '../../gateway/v1/ProxyState.ts';

export interface WatchStart {
  'since'?: (_gateway_v1_Position | null);
  'maxStaleSeconds'?: (number);
  'proxy'?: (_gateway_v1_ProxyProgram | null);
  'state'?: (_gateway_v1_ProxyState | null);
  '_since'?: "since";
  '_proxy'?: "proxy";
  '_state'?: "state";
}

export interface WatchStart__Output {
  'since'?: (_gateway_v1_Position__Output | null);
  'maxStaleSeconds': (number);
  'proxy'?: (_gateway_v1_ProxyProgram__Output | null);
  'state'?: (_gateway_v1_ProxyState__Output | null);
  '_since'?: "since";
  '_proxy'?: "proxy";
  '_state'?: "state";
}
