// Original file: proto/gateway/v1/prices.proto

import type { Price as _gateway_v1_Price, Price__Output as _gateway_v1_Price__Output } from '../../gateway/v1/Price.ts';

export interface ListPricesResponse {
  'prices'?: (_gateway_v1_Price)[];
  'nextPageToken'?: (string);
}

export interface ListPricesResponse__Output {
  'prices': (_gateway_v1_Price__Output)[];
  'nextPageToken': (string);
}
