// Original file: proto/gateway/v1/ledger.proto

import type { UsageTokens as _gateway_v1_UsageTokens, UsageTokens__Output as _gateway_v1_UsageTokens__Output } from '../../gateway/v1/UsageTokens.ts';
import type { UsageCharge as _gateway_v1_UsageCharge, UsageCharge__Output as _gateway_v1_UsageCharge__Output } from '../../gateway/v1/UsageCharge.ts';

export interface UsageEvent {
  'id'?: (string);
  'day'?: (string);
  'at'?: (string);
  'session'?: (string);
  'organizationId'?: (string);
  'keyId'?: (string);
  'aiSystemId'?: (string);
  'personId'?: (string);
  'projectKeyId'?: (string);
  'projectAiSystemId'?: (string);
  'projectPersonId'?: (string);
  'requestId'?: (string);
  'provider'?: (string);
  'modelAsked'?: (string);
  'modelAnswered'?: (string);
  'tokens'?: (_gateway_v1_UsageTokens | null);
  'costNanoUsd'?: (string);
  'unpriced'?: (boolean);
  'status'?: (number);
  'errorSource'?: (string);
  'errorCode'?: (string);
  'latencyMs'?: (number);
  'firstTokenMs'?: (number);
  'streamed'?: (boolean);
  'directKey'?: (boolean);
  'attempts'?: (number);
  'estimated'?: (boolean);
  'charges'?: (_gateway_v1_UsageCharge)[];
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_projectKeyId'?: "projectKeyId";
  '_projectAiSystemId'?: "projectAiSystemId";
  '_projectPersonId'?: "projectPersonId";
  '_firstTokenMs'?: "firstTokenMs";
}

export interface UsageEvent__Output {
  'id': (string);
  'day': (string);
  'at': (string);
  'session': (string);
  'organizationId': (string);
  'keyId': (string);
  'aiSystemId'?: (string);
  'personId'?: (string);
  'projectKeyId'?: (string);
  'projectAiSystemId'?: (string);
  'projectPersonId'?: (string);
  'requestId': (string);
  'provider': (string);
  'modelAsked': (string);
  'modelAnswered': (string);
  'tokens': (_gateway_v1_UsageTokens__Output | null);
  'costNanoUsd': (string);
  'unpriced': (boolean);
  'status': (number);
  'errorSource': (string);
  'errorCode': (string);
  'latencyMs': (number);
  'firstTokenMs'?: (number);
  'streamed': (boolean);
  'directKey': (boolean);
  'attempts': (number);
  'estimated': (boolean);
  'charges': (_gateway_v1_UsageCharge__Output)[];
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_projectKeyId'?: "projectKeyId";
  '_projectAiSystemId'?: "projectAiSystemId";
  '_projectPersonId'?: "projectPersonId";
  '_firstTokenMs'?: "firstTokenMs";
}
