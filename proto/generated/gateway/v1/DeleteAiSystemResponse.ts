// Original file: proto/gateway/v1/ai_systems.proto


export interface DeleteAiSystemResponse {
  'keysRevoked'?: (number);
}

export interface DeleteAiSystemResponse__Output {
  'keysRevoked': (number);
}
