// Original file: proto/gateway/v1/organizations.proto


export interface AccessSettings {
  'callerProviderKeys'?: (boolean);
  '_callerProviderKeys'?: "callerProviderKeys";
}

export interface AccessSettings__Output {
  'callerProviderKeys'?: (boolean);
  '_callerProviderKeys'?: "callerProviderKeys";
}
