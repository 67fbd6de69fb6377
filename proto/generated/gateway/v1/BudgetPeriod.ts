// Original file: proto/gateway/v1/limits.proto

export const BudgetPeriod = {
  BUDGET_PERIOD_UNSPECIFIED: 'BUDGET_PERIOD_UNSPECIFIED',
  BUDGET_PERIOD_DAY: 'BUDGET_PERIOD_DAY',
  BUDGET_PERIOD_WEEK: 'BUDGET_PERIOD_WEEK',
  BUDGET_PERIOD_MONTH: 'BUDGET_PERIOD_MONTH',
  BUDGET_PERIOD_TOTAL: 'BUDGET_PERIOD_TOTAL',
} as const;

export type BudgetPeriod =
  | 'BUDGET_PERIOD_UNSPECIFIED'
  | 0
  | 'BUDGET_PERIOD_DAY'
  | 1
  | 'BUDGET_PERIOD_WEEK'
  | 2
  | 'BUDGET_PERIOD_MONTH'
  | 3
  | 'BUDGET_PERIOD_TOTAL'
  | 4

export type BudgetPeriod__Output = typeof BudgetPeriod[keyof typeof BudgetPeriod]
