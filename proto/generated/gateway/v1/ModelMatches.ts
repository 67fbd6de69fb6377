// Original file: proto/gateway/v1/models.proto

import type { ModelMatch as _gateway_v1_ModelMatch, ModelMatch__Output as _gateway_v1_ModelMatch__Output } from '../../gateway/v1/ModelMatch.ts';

export interface ModelMatches {
  'selectors'?: (_gateway_v1_ModelMatch)[];
}

export interface ModelMatches__Output {
  'selectors': (_gateway_v1_ModelMatch__Output)[];
}
