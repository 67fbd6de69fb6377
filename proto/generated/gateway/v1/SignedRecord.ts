// Original file: proto/gateway/v1/access.proto

import type { RecordKind as _gateway_v1_RecordKind, RecordKind__Output as _gateway_v1_RecordKind__Output } from '../../gateway/v1/RecordKind.ts';
import type { RecordSignature as _gateway_v1_RecordSignature, RecordSignature__Output as _gateway_v1_RecordSignature__Output } from '../../gateway/v1/RecordSignature.ts';

export interface SignedRecord {
  'kind'?: (_gateway_v1_RecordKind);
  'ref'?: (string);
  'body'?: (Buffer | Uint8Array | string);
  'path'?: (Buffer | Uint8Array | string)[];
  'left'?: (number);
  'signature'?: (_gateway_v1_RecordSignature | null);
}

export interface SignedRecord__Output {
  'kind': (_gateway_v1_RecordKind__Output);
  'ref': (string);
  'body': (Buffer);
  'path': (Buffer)[];
  'left': (number);
  'signature': (_gateway_v1_RecordSignature__Output | null);
}
