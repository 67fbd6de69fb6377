// Original file: proto/gateway/v1/budgets.proto

import type { BudgetWindow as _gateway_v1_BudgetWindow, BudgetWindow__Output as _gateway_v1_BudgetWindow__Output } from '../../gateway/v1/BudgetWindow.ts';

export interface ListBudgetWindowsResponse {
  'windows'?: (_gateway_v1_BudgetWindow)[];
  'nextPageToken'?: (string);
}

export interface ListBudgetWindowsResponse__Output {
  'windows': (_gateway_v1_BudgetWindow__Output)[];
  'nextPageToken': (string);
}
