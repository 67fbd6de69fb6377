// Original file: proto/gateway/v1/usage.proto

import type { UsageDimension as _gateway_v1_UsageDimension, UsageDimension__Output as _gateway_v1_UsageDimension__Output } from '../../gateway/v1/UsageDimension.ts';

export interface UsageTotalsRequest {
  'organizationId'?: (string);
  'from'?: (string);
  'to'?: (string);
  'groupBy'?: (_gateway_v1_UsageDimension)[];
  'aiSystemId'?: (string);
  'personId'?: (string);
  'keyId'?: (string);
  'model'?: (string);
  'provider'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'groupByMetadata'?: (string)[];
  'metadata'?: ({[key: string]: string});
  'allowUnmatched'?: (boolean);
  '_from'?: "from";
  '_to'?: "to";
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_keyId'?: "keyId";
  '_model'?: "model";
  '_provider'?: "provider";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface UsageTotalsRequest__Output {
  'organizationId': (string);
  'from'?: (string);
  'to'?: (string);
  'groupBy': (_gateway_v1_UsageDimension__Output)[];
  'aiSystemId'?: (string);
  'personId'?: (string);
  'keyId'?: (string);
  'model'?: (string);
  'provider'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'groupByMetadata': (string)[];
  'metadata': ({[key: string]: string});
  'allowUnmatched'?: (boolean);
  '_from'?: "from";
  '_to'?: "to";
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_keyId'?: "keyId";
  '_model'?: "model";
  '_provider'?: "provider";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
  '_allowUnmatched'?: "allowUnmatched";
}
