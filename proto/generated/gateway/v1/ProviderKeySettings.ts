// Original file: proto/gateway/v1/provider_keys.proto


export interface ProviderKeySettings {
  'baseUrl'?: (string);
  'endpoint'?: (string);
  'region'?: (string);
  'apiVersion'?: (string);
  '_baseUrl'?: "baseUrl";
  '_endpoint'?: "endpoint";
  '_region'?: "region";
  '_apiVersion'?: "apiVersion";
}

export interface ProviderKeySettings__Output {
  'baseUrl'?: (string);
  'endpoint'?: (string);
  'region'?: (string);
  'apiVersion'?: (string);
  '_baseUrl'?: "baseUrl";
  '_endpoint'?: "endpoint";
  '_region'?: "region";
  '_apiVersion'?: "apiVersion";
}
