// Original file: proto/gateway/v1/status.proto

import type { Watcher as _gateway_v1_Watcher, Watcher__Output as _gateway_v1_Watcher__Output } from '../../gateway/v1/Watcher.ts';

export interface WatcherList {
  'watchers'?: (_gateway_v1_Watcher)[];
  'total'?: (number);
}

export interface WatcherList__Output {
  'watchers': (_gateway_v1_Watcher__Output)[];
  'total': (number);
}
