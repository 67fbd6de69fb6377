// Original file: proto/gateway/v1/ai_systems.proto

import type { AiSystem as _gateway_v1_AiSystem, AiSystem__Output as _gateway_v1_AiSystem__Output } from '../../gateway/v1/AiSystem.ts';

export interface ListAiSystemsResponse {
  'aiSystems'?: (_gateway_v1_AiSystem)[];
  'nextPageToken'?: (string);
}

export interface ListAiSystemsResponse__Output {
  'aiSystems': (_gateway_v1_AiSystem__Output)[];
  'nextPageToken': (string);
}
