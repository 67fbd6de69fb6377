// The table of wire formats. A new one needs a folder and a line here.
import type { VendorName } from '../common/vendors.ts';
import { assistantProvider } from './assistant-provider/index.ts';
import { gptProvider } from './gpt-provider/index.ts';
import { managedCloudModels } from './managed-cloud-models/index.ts';
import { searchProvider } from './search-provider/index.ts';
import { studioAi } from './studio-ai/index.ts';
import type { WireFormat } from './wire-format.ts';

export const vendors = {
  'gpt-provider': gptProvider,
  'studio-ai': studioAi,
  'assistant-provider': assistantProvider,
  'search-provider': searchProvider,
  'managed-cloud-models': managedCloudModels,
} as const satisfies Record<VendorName, WireFormat>;

export type { VendorName };
