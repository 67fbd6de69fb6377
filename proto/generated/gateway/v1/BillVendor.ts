// Original file: proto/gateway/v1/reconciliation.proto

export const BillVendor = {
  BILL_VENDOR_UNSPECIFIED: 'BILL_VENDOR_UNSPECIFIED',
  BILL_VENDOR_OPENAI: 'BILL_VENDOR_OPENAI',
  BILL_VENDOR_ANTHROPIC: 'BILL_VENDOR_ANTHROPIC',
  BILL_VENDOR_AWS: 'BILL_VENDOR_AWS',
  BILL_VENDOR_AZURE: 'BILL_VENDOR_AZURE',
  BILL_VENDOR_GOOGLE: 'BILL_VENDOR_GOOGLE',
  BILL_VENDOR_OTHER: 'BILL_VENDOR_OTHER',
} as const;

export type BillVendor =
  | 'BILL_VENDOR_UNSPECIFIED'
  | 0
  | 'BILL_VENDOR_OPENAI'
  | 1
  | 'BILL_VENDOR_ANTHROPIC'
  | 2
  | 'BILL_VENDOR_AWS'
  | 3
  | 'BILL_VENDOR_AZURE'
  | 4
  | 'BILL_VENDOR_GOOGLE'
  | 5
  | 'BILL_VENDOR_OTHER'
  | 6

export type BillVendor__Output = typeof BillVendor[keyof typeof BillVendor]
