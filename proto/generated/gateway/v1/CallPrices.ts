// Original file: proto/gateway/v1/providers.proto


export interface CallPrices {
  'request'?: (string);
  'search'?: (string);
  'groundedPrompt'?: (string);
  'image'?: (string);
  '_request'?: "request";
  '_search'?: "search";
  '_groundedPrompt'?: "groundedPrompt";
  '_image'?: "image";
}

export interface CallPrices__Output {
  'request'?: (string);
  'search'?: (string);
  'groundedPrompt'?: (string);
  'image'?: (string);
  '_request'?: "request";
  '_search'?: "search";
  '_groundedPrompt'?: "groundedPrompt";
  '_image'?: "image";
}
