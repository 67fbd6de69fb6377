// Original file: proto/gateway/v1/status.proto

import type { DatabaseKind as _gateway_v1_DatabaseKind, DatabaseKind__Output as _gateway_v1_DatabaseKind__Output } from '../../gateway/v1/DatabaseKind.ts';
import type { FeedStatus as _gateway_v1_FeedStatus, FeedStatus__Output as _gateway_v1_FeedStatus__Output } from '../../gateway/v1/FeedStatus.ts';
import type { StatusCaller as _gateway_v1_StatusCaller, StatusCaller__Output as _gateway_v1_StatusCaller__Output } from '../../gateway/v1/StatusCaller.ts';
import type { WatcherList as _gateway_v1_WatcherList, WatcherList__Output as _gateway_v1_WatcherList__Output } from '../../gateway/v1/WatcherList.ts';
import type { SelectorCheck as _gateway_v1_SelectorCheck, SelectorCheck__Output as _gateway_v1_SelectorCheck__Output } from '../../gateway/v1/SelectorCheck.ts';
import type { CatalogState as _gateway_v1_CatalogState, CatalogState__Output as _gateway_v1_CatalogState__Output } from '../../gateway/v1/CatalogState.ts';

export interface GetStatusResponse {
  'version'?: (string);
  'replica'?: (string);
  'startedAt'?: (string);
  'time'?: (string);
  'database'?: (_gateway_v1_DatabaseKind);
  'feed'?: (_gateway_v1_FeedStatus | null);
  'caller'?: (_gateway_v1_StatusCaller | null);
  'watchers'?: (_gateway_v1_WatcherList | null);
  'selectors'?: (_gateway_v1_SelectorCheck | null);
  'catalog'?: (_gateway_v1_CatalogState | null);
  'recordKey'?: (string);
  '_watchers'?: "watchers";
  '_selectors'?: "selectors";
  '_catalog'?: "catalog";
  '_recordKey'?: "recordKey";
}

export interface GetStatusResponse__Output {
  'version': (string);
  'replica': (string);
  'startedAt': (string);
  'time': (string);
  'database': (_gateway_v1_DatabaseKind__Output);
  'feed': (_gateway_v1_FeedStatus__Output | null);
  'caller': (_gateway_v1_StatusCaller__Output | null);
  'watchers'?: (_gateway_v1_WatcherList__Output | null);
  'selectors'?: (_gateway_v1_SelectorCheck__Output | null);
  'catalog'?: (_gateway_v1_CatalogState__Output | null);
  'recordKey'?: (string);
  '_watchers'?: "watchers";
  '_selectors'?: "selectors";
  '_catalog'?: "catalog";
  '_recordKey'?: "recordKey";
}
