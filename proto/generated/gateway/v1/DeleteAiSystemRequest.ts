// Original file: proto/gateway/v1/ai_systems.proto


export interface DeleteAiSystemRequest {
  'id'?: (string);
}

export interface DeleteAiSystemRequest__Output {
  'id': (string);
}
