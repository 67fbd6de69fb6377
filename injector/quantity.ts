// Amounts of processor time and memory in Kubernetes' notation, within bounds that detect a forgotten unit: the API
// server accepts a memory limit of 256 bytes without a warning.
import type { Decoder } from '../common/settings.ts';

export interface Quantity {
  /** As written. */
  readonly text: string;
  /** Thousandths of a core, or bytes. */
  readonly amount: number;
}

const coresMax = 64;
const memoryMin = 32 * 1024 ** 2;
const memoryMax = 64 * 1024 ** 3;

/** Such as "250m", "1", "1.5". */
export const cpuQuantity: Decoder<Quantity> = (text) => {
  const match = /^(?:(\d{1,5})m|(\d{1,2}(?:\.\d{1,3})?))$/.exec(text);
  const amount = match?.[1] === undefined ? Math.round(Number(match?.[2]) * 1000) : Number(match[1]);
  if (match === null || amount < 1 || amount > coresMax * 1000) {
    throw new Error(`must be processor time from 1m to ${coresMax}, such as 250m or 1, not "${text}"`);
  }
  return { text, amount };
};

export const resourceNames = ['cpu', 'memory'] as const;
export type Resource = (typeof resourceNames)[number];

const memoryUnits: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
};

/** Such as "128Mi", "1Gi". */
export const memoryQuantity: Decoder<Quantity> = (text) => {
  const match = /^(\d{1,11})(k|M|G|Ki|Mi|Gi)?$/.exec(text);
  const amount = Number(match?.[1]) * (memoryUnits[match?.[2] ?? ''] ?? 1);
  if (match === null || amount < memoryMin || amount > memoryMax) {
    throw new Error(`must be memory from 32Mi to 64Gi, such as 128Mi or 1Gi, not "${text}"`);
  }
  return { text, amount };
};

const unitsOfAll: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * Any amount that Kubernetes accepts ("0.5", "1e3", "128Mi"), after
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/.
 * @returns undefined for an invalid amount
 */
export function quantityOf(value: unknown): number | undefined {
  // Numbers are accepted too: YAML converted to JSON has 1 for "1".
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > quantityLengthMax) return undefined;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text);
  if (match === null) return undefined;
  const [, digits = '', exponent = '', unit = ''] = match;
  const amount = Number(digits + exponent) * (unitsOfAll[unit] ?? 1);
  return Number.isFinite(amount) ? amount : undefined;
}

const quantityLengthMax = 64;

/** In thousandths of a core, or in bytes. */
export function amountOf(resource: Resource, value: unknown): number | undefined {
  const amount = quantityOf(value);
  if (amount === undefined) return undefined;
  // Rounds up to the unit, as the API server does.
  return Math.ceil(resource === 'cpu' ? rounded(amount * 1000) : amount);
}

/** Removes floating-point error, as in 0.1 * 1000. */
function rounded(amount: number): number {
  return Number(amount.toPrecision(12));
}

/** In the usual notation. */
export function quantityFrom(resource: Resource, amount: number): Quantity {
  if (resource === 'cpu') return { text: amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`, amount };
  const mebibytes = amount / 1024 ** 2;
  return { text: Number.isInteger(mebibytes) ? `${mebibytes}Mi` : String(amount), amount };
}
