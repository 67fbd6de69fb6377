// Original file: proto/gateway/v1/providers.proto


export interface PriceTier {
  'abovePromptTokens'?: (number);
  'input'?: (string);
  'output'?: (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'cacheWrite12h'?: (string);
  'audioInput'?: (string);
  'audioCacheRead'?: (string);
  'audioOutput'?: (string);
  'imageOutput'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_cacheWrite12h'?: "cacheWrite12h";
  '_audioInput'?: "audioInput";
  '_audioCacheRead'?: "audioCacheRead";
  '_audioOutput'?: "audioOutput";
  '_imageOutput'?: "imageOutput";
}

export interface PriceTier__Output {
  'abovePromptTokens': (number);
  'input': (string);
  'output': (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'cacheWrite12h'?: (string);
  'audioInput'?: (string);
  'audioCacheRead'?: (string);
  'audioOutput'?: (string);
  'imageOutput'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_cacheWrite12h'?: "cacheWrite12h";
  '_audioInput'?: "audioInput";
  '_audioCacheRead'?: "audioCacheRead";
  '_audioOutput'?: "audioOutput";
  '_imageOutput'?: "imageOutput";
}
