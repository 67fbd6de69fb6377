// Amounts of processor time and memory as Kubernetes writes them, within bounds that catch a forgotten unit: the API server
// takes a memory limit of 256 bytes without a word.
import type { Decoder } from '../common/settings.ts';

export interface Quantity {
  /** As it was written. */
  readonly text: string;
  /** Thousandths of a core, or bytes. */
  readonly amount: number;
}

const coresMax = 64;
const memoryMin = 32 * 1024 ** 2;
const memoryMax = 64 * 1024 ** 3;

/** "250m", "1", "1.5" */
export const cpuQuantity: Decoder<Quantity> = (text) => {
  const match = /^(?:(\d{1,5})m|(\d{1,2}(?:\.\d{1,3})?))$/.exec(text);
  const amount = match?.[1] === undefined ? Math.round(Number(match?.[2]) * 1000) : Number(match[1]);
  if (match === null || amount < 1 || amount > coresMax * 1000) {
    throw new Error(`must be processor time from 1m to ${coresMax}, such as 250m or 1, not "${text}"`);
  }
  return { text, amount };
};

const memoryUnits: Readonly<Record<string, number>> = {
  ...{ k: 1e3, M: 1e6, G: 1e9 },
  ...{ Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 },
};

/** "128Mi", "1Gi" */
export const memoryQuantity: Decoder<Quantity> = (text) => {
  const match = /^(\d{1,11})(k|M|G|Ki|Mi|Gi)?$/.exec(text);
  const amount = Number(match?.[1]) * (memoryUnits[match?.[2] ?? ''] ?? 1);
  if (match === null || amount < memoryMin || amount > memoryMax) {
    throw new Error(`must be memory from 32Mi to 64Gi, such as 128Mi or 1Gi, not "${text}"`);
  }
  return { text, amount };
};
