// Original file: proto/gateway/v1/status.proto

import type { SelectorHolder as _gateway_v1_SelectorHolder, SelectorHolder__Output as _gateway_v1_SelectorHolder__Output } from '../../gateway/v1/SelectorHolder.ts';
import type { SelectorProblem as _gateway_v1_SelectorProblem, SelectorProblem__Output as _gateway_v1_SelectorProblem__Output } from '../../gateway/v1/SelectorProblem.ts';

export interface StoredSelector {
  'holder'?: (_gateway_v1_SelectorHolder);
  'id'?: (string);
  'organizationId'?: (string);
  'problem'?: (_gateway_v1_SelectorProblem);
  'selector'?: (string);
  'countsAs'?: (string);
  'nearest'?: (string)[];
  '_organizationId'?: "organizationId";
  '_selector'?: "selector";
  '_countsAs'?: "countsAs";
}

export interface StoredSelector__Output {
  'holder': (_gateway_v1_SelectorHolder__Output);
  'id': (string);
  'organizationId'?: (string);
  'problem': (_gateway_v1_SelectorProblem__Output);
  'selector'?: (string);
  'countsAs'?: (string);
  'nearest': (string)[];
  '_organizationId'?: "organizationId";
  '_selector'?: "selector";
  '_countsAs'?: "countsAs";
}
