// Original file: proto/gateway/v1/ledger.proto


export interface UsageSpecial {
  'serviceTier'?: (string);
  'region'?: (string);
  'cacheWrite12hTokens'?: (number);
  'audioPromptTokens'?: (number);
  'audioCacheReadTokens'?: (number);
  'audioCompletionTokens'?: (number);
  'imageCompletionTokens'?: (number);
  'searches'?: (number);
  'images'?: (number);
}

export interface UsageSpecial__Output {
  'serviceTier': (string);
  'region': (string);
  'cacheWrite12hTokens': (number);
  'audioPromptTokens': (number);
  'audioCacheReadTokens': (number);
  'audioCompletionTokens': (number);
  'imageCompletionTokens': (number);
  'searches': (number);
  'images': (number);
}
