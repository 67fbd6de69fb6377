// Numbers, amounts and times as the reader's locale and time zone write them.

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const cents = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' });
const fine = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  maximumSignificantDigits: 3,
});
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const minute = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
const second = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const compactTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** The reader's time zone, such as "Europe/Berlin". */
export const timeZone = minute.resolvedOptions().timeZone;

export const nothing = '–';

export function count(value: number | string | undefined): string {
  return value === undefined ? nothing : whole.format(Number(value));
}

export function compact(value: number | string): string {
  return short.format(Number(value));
}

/** @param usd a decimal text; amounts below a cent get three significant digits */
export function money(usd: string | number | undefined): string {
  if (usd === undefined) return nothing;
  const value = Number(usd);
  return value !== 0 && Math.abs(value) < 0.01 ? fine.format(value) : cents.format(value);
}

/** @param part 0 to 1 */
export function percent(part: number): string {
  return Number.isFinite(part) ? share.format(part) : nothing;
}

export function dateTime(at: string | undefined): string {
  return at === undefined || at === '' ? nothing : minute.format(new Date(at));
}

export function dateTimeSeconds(at: string | undefined): string {
  return at === undefined || at === '' ? nothing : second.format(new Date(at));
}

/** For columns whose title names the time zone. */
export function listTime(at: string | undefined): string {
  return at === undefined || at === '' ? nothing : compactTime.format(new Date(at));
}

export function date(at: string | undefined): string {
  return at === undefined || at === '' ? nothing : day.format(new Date(at));
}

/** Such as "3 hours ago". */
export function ago(at: string | undefined, now = Date.now()): string {
  if (at === undefined || at === '') return nothing;
  const seconds = (Date.parse(at) - now) / 1000;
  const steps = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const;
  const [unit, length] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return relative.format(Math.round(seconds / length), unit);
}

export function duration(ms: number | string | undefined): string {
  if (ms === undefined) return nothing;
  const value = Number(ms);
  return value < 1000 ? `${whole.format(value)} ms` : `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} s`;
}

/** `KEY_STATUS_ACTIVE` without its prefix `KEY_STATUS_`: "active". */
export function word(value: string, prefix: string): string {
  return value.startsWith(prefix) ? value.slice(prefix.length).toLowerCase().replaceAll('_', ' ') : value;
}

/** A value of an `<input type="datetime-local">` in the reader's time zone → RFC 3339; undefined if it is empty. */
export function instantOf(local: string): string | undefined {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Lines or a list with commas → texts without spaces around them. */
export function listOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
