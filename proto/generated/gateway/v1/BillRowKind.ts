// Original file: proto/gateway/v1/reconciliation.proto

export const BillRowKind = {
  BILL_ROW_KIND_UNSPECIFIED: 'BILL_ROW_KIND_UNSPECIFIED',
  BILL_ROW_KIND_USAGE: 'BILL_ROW_KIND_USAGE',
  BILL_ROW_KIND_TOOL: 'BILL_ROW_KIND_TOOL',
  BILL_ROW_KIND_CREDIT: 'BILL_ROW_KIND_CREDIT',
  BILL_ROW_KIND_FEE: 'BILL_ROW_KIND_FEE',
} as const;

export type BillRowKind =
  | 'BILL_ROW_KIND_UNSPECIFIED'
  | 0
  | 'BILL_ROW_KIND_USAGE'
  | 1
  | 'BILL_ROW_KIND_TOOL'
  | 2
  | 'BILL_ROW_KIND_CREDIT'
  | 3
  | 'BILL_ROW_KIND_FEE'
  | 4

export type BillRowKind__Output = typeof BillRowKind[keyof typeof BillRowKind]
