// Original file: proto/gateway/v1/providers.proto


export interface PriceTier {
  'abovePromptTokens'?: (number);
  'input'?: (string);
  'output'?: (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
}

export interface PriceTier__Output {
  'abovePromptTokens': (number);
  'input': (string);
  'output': (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
}
