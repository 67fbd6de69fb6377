// Original file: proto/gateway/v1/guardrails.proto


export interface ServiceCredential {
  'apiKey'?: (string);
  'accessKeyId'?: (string);
  'secretAccessKey'?: (string);
  'sessionToken'?: (string);
  'serviceAccount'?: (string);
  '_apiKey'?: "apiKey";
  '_accessKeyId'?: "accessKeyId";
  '_secretAccessKey'?: "secretAccessKey";
  '_sessionToken'?: "sessionToken";
  '_serviceAccount'?: "serviceAccount";
}

export interface ServiceCredential__Output {
  'apiKey'?: (string);
  'accessKeyId'?: (string);
  'secretAccessKey'?: (string);
  'sessionToken'?: (string);
  'serviceAccount'?: (string);
  '_apiKey'?: "apiKey";
  '_accessKeyId'?: "accessKeyId";
  '_secretAccessKey'?: "secretAccessKey";
  '_sessionToken'?: "sessionToken";
  '_serviceAccount'?: "serviceAccount";
}
