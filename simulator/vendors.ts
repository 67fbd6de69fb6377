// The table of wire formats. Adding one is a folder and a line.
import { gptProvider } from './gpt-provider/index.ts';
import { studioAi } from './studio-ai/index.ts';
import type { WireFormat } from './wire-format.ts';

export const vendors = {
  'gpt-provider': gptProvider,
  'studio-ai': studioAi,
} as const satisfies Record<string, WireFormat>;

export type VendorName = keyof typeof vendors;
