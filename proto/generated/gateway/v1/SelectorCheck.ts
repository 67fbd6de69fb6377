// Original file: proto/gateway/v1/status.proto

import type { StoredSelector as _gateway_v1_StoredSelector, StoredSelector__Output as _gateway_v1_StoredSelector__Output } from '../../gateway/v1/StoredSelector.ts';

export interface SelectorCheck {
  'checkedAt'?: (string);
  'checked'?: (number);
  'found'?: (number);
  'selectors'?: (_gateway_v1_StoredSelector)[];
}

export interface SelectorCheck__Output {
  'checkedAt': (string);
  'checked': (number);
  'found': (number);
  'selectors': (_gateway_v1_StoredSelector__Output)[];
}
