// Original file: proto/gateway/v1/ai_systems.proto


export interface GetAiSystemRequest {
  'id'?: (string);
}

export interface GetAiSystemRequest__Output {
  'id': (string);
}
