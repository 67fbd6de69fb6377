// When a vendor's limits open again, in every spelling that vendors use. Pure: the clock is a parameter.
import type { IncomingHttpHeaders } from 'node:http';

const decimal = /^\d+(\.\d+)?$/;

export function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

export function inMilliseconds(value: string | undefined): number | undefined {
  return value !== undefined && decimal.test(value) ? Number(value) / 1000 : undefined;
}

/** A number of seconds, a duration as Go writes it (`6m0s`, `37s`, `20ms`), or a date. */
export function inSeconds(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (decimal.test(value)) return Number(value);
  const duration = inDuration(value);
  if (duration !== undefined) return duration;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : (date - now) / 1000;
}

const unitSeconds: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 0.001,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};

function inDuration(value: string): number | undefined {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(value)) return undefined;
  return [...value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)].reduce(
    (sum, [, amount, unit = 's']) => sum + Number(amount) * (unitSeconds[unit] ?? 0),
    0,
  );
}

/**
 * Of the limits that are used up, the reset time of the last one. Other limits do not matter.
 * @param now milliseconds since 1970
 * @returns seconds from now
 */
export function latestReset(headers: IncomingHttpHeaders, now: number): number | undefined {
  const waits = Object.keys(headers).flatMap((name) => {
    const limit = /^(.*ratelimit)-(?:(.*)-)?remaining(?:-(.*))?$/.exec(name);
    if (limit === null || one(headers[name]) !== '0') return [];
    const [, prefix = '', before = '', after = ''] = limit;
    const reset = before === '' ? `${prefix}-reset-${after}` : `${prefix}-${before}-reset`;
    return inSeconds(one(headers[reset]), now) ?? [];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}
