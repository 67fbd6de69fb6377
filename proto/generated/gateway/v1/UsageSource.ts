// Original file: proto/gateway/v1/ledger.proto


export interface UsageSource {
  'session'?: (string);
  'organizationId'?: (string);
  'keyId'?: (string);
  'aiSystemId'?: (string);
  'personId'?: (string);
  'projectKeyId'?: (string);
  'projectAiSystemId'?: (string);
  'projectPersonId'?: (string);
  'provider'?: (string);
  'modelAsked'?: (string);
  'modelAnswered'?: (string);
  'directKey'?: (boolean);
  'providerKeyId'?: (string);
  'guardrailId'?: (string);
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_projectKeyId'?: "projectKeyId";
  '_projectAiSystemId'?: "projectAiSystemId";
  '_projectPersonId'?: "projectPersonId";
  '_providerKeyId'?: "providerKeyId";
  '_guardrailId'?: "guardrailId";
}

export interface UsageSource__Output {
  'session': (string);
  'organizationId': (string);
  'keyId': (string);
  'aiSystemId'?: (string);
  'personId'?: (string);
  'projectKeyId'?: (string);
  'projectAiSystemId'?: (string);
  'projectPersonId'?: (string);
  'provider': (string);
  'modelAsked': (string);
  'modelAnswered': (string);
  'directKey': (boolean);
  'providerKeyId'?: (string);
  'guardrailId'?: (string);
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_projectKeyId'?: "projectKeyId";
  '_projectAiSystemId'?: "projectAiSystemId";
  '_projectPersonId'?: "projectPersonId";
  '_providerKeyId'?: "providerKeyId";
  '_guardrailId'?: "guardrailId";
}
