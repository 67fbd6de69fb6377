// Original file: proto/gateway/v1/reconciliation.proto

import type { BillMapping as _gateway_v1_BillMapping, BillMapping__Output as _gateway_v1_BillMapping__Output } from '../../gateway/v1/BillMapping.ts';

export interface ListMappingsResponse {
  'mappings'?: (_gateway_v1_BillMapping)[];
  'nextPageToken'?: (string);
}

export interface ListMappingsResponse__Output {
  'mappings': (_gateway_v1_BillMapping__Output)[];
  'nextPageToken': (string);
}
