// Original file: proto/gateway/v1/provider_keys.proto


export interface ProviderSecret {
  'apiKey'?: (string);
  'accessKeyId'?: (string);
  'secretAccessKey'?: (string);
  'sessionToken'?: (string);
  '_apiKey'?: "apiKey";
  '_accessKeyId'?: "accessKeyId";
  '_secretAccessKey'?: "secretAccessKey";
  '_sessionToken'?: "sessionToken";
}

export interface ProviderSecret__Output {
  'apiKey'?: (string);
  'accessKeyId'?: (string);
  'secretAccessKey'?: (string);
  'sessionToken'?: (string);
  '_apiKey'?: "apiKey";
  '_accessKeyId'?: "accessKeyId";
  '_secretAccessKey'?: "secretAccessKey";
  '_sessionToken'?: "sessionToken";
}
