// Original file: proto/gateway/v1/guardrails.proto


export interface PromptSizeCheck {
  'tokensMax'?: (number);
  'messagesMax'?: (number);
  'imagesMax'?: (number);
}

export interface PromptSizeCheck__Output {
  'tokensMax': (number);
  'messagesMax': (number);
  'imagesMax': (number);
}
