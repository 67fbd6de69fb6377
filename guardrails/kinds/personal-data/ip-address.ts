// IP addresses of version 4 and 6, including private and documentation addresses. Not found: addresses that identify
// nobody (loopback, unspecified, multicast, reserved), and version or section numbers, which a word before them
// identifies.
import { isIPv6 } from 'node:net';
import { dash, matchAt, type NumberType, type Position, type Span } from './number-type.ts';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
// A dash separates the two addresses of a range; a dash before the address belongs to a name that ends in a version.
const v4 = new RegExp(
  `(?<![0-9A-Za-z_.])(?<![A-Za-z][${dash}])(?:(?!127)1\\d\\d|2[01]\\d|22[0-3]|[1-9]\\d?)(?:\\.${octet}){3}` +
    `(?![0-9A-Za-z_])(?!\\.[0-9A-Za-z])(?![${dash}][A-Za-z])`,
  'y',
);
const version =
  /(?:version|release|build|firmware|section|chapter|kapitel|abschnitt|oid|\bver|\bv|\brev)["'\s.:=]{0,5}$|§ ?$|[A-Za-z]\/$/i;

const v6Run = /(?<![0-9A-Za-z_.:])[0-9A-Fa-f:.]{3,45}(?![0-9A-Za-z_])/y;
const v6LengthMax = 45;

export const ipAddress: NumberType = {
  label: 'IP_ADDRESS',
  find: (position) => findV6(position) ?? findV4(position),
};

function findV4(position: Position): Span | undefined {
  const end = position.digits < 4 ? undefined : matchAt(v4, position, position.at);
  if (end === undefined || version.test(position.before(position.at))) return undefined;
  return { start: position.at, end };
}

function findV6(position: Position): Span | undefined {
  if (!hasColon(position)) return undefined;
  const start = startOfV6(position);
  const last = matchAt(v6Run, position, start);
  if (last === undefined || last - start === v6LengthMax) return undefined;
  const address = position.text.slice(start, last).replace(/(?<!:):$|\.+$/, '');
  if (!address.includes(':') || !isIPv6(address) || !namesSomebody(address)) return undefined;
  return { start, end: start + address.length };
}

/** A cheap check near the first digit that distinguishes an address from other numbers. */
function hasColon({ text, at }: Position): boolean {
  if (isOfV6(text.charCodeAt(at - 1))) return true;
  let end = at;
  while (end < at + 4 && isHex(text.charCodeAt(end))) end++;
  return text.charCodeAt(end) === colon;
}

const colon = 0x3a;

/** A hexadecimal letter or a colon. */
function isOfV6(code: number): boolean {
  return code === colon || (isHex(code) && code > colon);
}

function isHex(code: number): boolean {
  return (code >= 48 && code < 58) || ((code | 32) >= 97 && (code | 32) < 103);
}

function startOfV6({ text, at, from }: Position): number {
  let start = at;
  const first = Math.max(from, at - v6LengthMax);
  while (start > first && isOfV6(text.charCodeAt(start - 1))) start--;
  return start;
}

/** In code, two short names with a double colon look like an address: "a1::b2". */
function namesSomebody(address: string): boolean {
  const groups = address.split(':').filter((group) => group !== '');
  return groups.length > 2 || (groups.length === 2 && (groups[0] ?? '').length > 2);
}
