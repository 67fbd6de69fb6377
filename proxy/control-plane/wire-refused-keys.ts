// Encodes refused provider keys as a message of the contract.
import type { ReportRefusedProviderKeysRequest } from '../../proto/generated/gateway/v1/ReportRefusedProviderKeysRequest.ts';
import { keyRefusals } from '../../proto/words/access.ts';
import type { RefusedKey } from '../routing/refused-key-reports.ts';

export function encodeRefusedKeys(keys: readonly RefusedKey[]): ReportRefusedProviderKeysRequest {
  return {
    keys: keys.map(({ cause, model, at, ...ids }) => ({
      ...ids,
      cause: keyRefusals.names[cause],
      ...(model !== undefined && { model }),
      at: new Date(at).toISOString(),
    })),
  };
}
