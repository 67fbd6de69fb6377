// The table of wire formats. Adding one is a folder and a line.
import { gptProvider } from './gpt-provider/index.ts';
import type { WireFormat } from './wire-format.ts';

export const vendors = {
  'gpt-provider': gptProvider,
} as const satisfies Record<string, WireFormat>;

export type VendorName = keyof typeof vendors;
