// Original file: proto/gateway/v1/guardrails.proto


export interface SecretForm {
  'label'?: (string);
  'form'?: (string);
}

export interface SecretForm__Output {
  'label': (string);
  'form': (string);
}
