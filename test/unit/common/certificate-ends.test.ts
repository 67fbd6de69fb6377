// The end dates of certificates that are reported: the first to end of a chain, the last to end of authorities. An
// unreadable certificate is left out, and a renewed one is noticed at the next read.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificatesIn, createCertificateEnds } from '../../../common/certificate-ends.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';

let authority: TestAuthority;
let pem: Record<'short' | 'long', string>;
beforeAll(async () => {
  authority = await createAuthority();
  const issued = async (days: number) =>
    readFileSync((await authority.issue({ commonName: `of ${days} days`, days })).certFile, 'utf8');
  pem = { short: await issued(3), long: await issued(30) };
});
afterAll(() => authority.remove());

const endOf = (text: string) => (certificatesIn(text)[0]?.validToDate.getTime() ?? 0) / 1000;

describe('several certificates in a file', () => {
  it.each(['short then long', 'long then short'])(
    '%s, report the first end as a chain and the last end as authorities',
    (order) => {
      const both = order.startsWith('short') ? pem.short + pem.long : pem.long + pem.short;
      const ends = createCertificateEnds();
      ends.chain('server', () => both);
      ends.authorities('client_authorities', () => Buffer.from(both));
      expect(ends.read()).toEqual([
        { use: 'server', seconds: endOf(pem.short) },
        { use: 'client_authorities', seconds: endOf(pem.long) },
      ]);
    },
  );
});

it('a renewed certificate is noticed at the next read', () => {
  let current = pem.short;
  const ends = createCertificateEnds();
  ends.chain('server', () => current);
  expect(ends.read()).toEqual([{ use: 'server', seconds: endOf(pem.short) }]);
  current = pem.long;
  expect(ends.read()).toEqual([{ use: 'server', seconds: endOf(pem.long) }]);
});

it.each([
  ['nothing', undefined],
  ['an empty file', ''],
  ['no PEM', 'hello'],
  ['a broken certificate', '-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n'],
])('%s has no end date', (_what, text) => {
  const ends = createCertificateEnds();
  ends.chain('server', () => text);
  expect(ends.read()).toEqual([]);
});

it('a broken certificate does not hide a good one in the same file', () => {
  const ends = createCertificateEnds();
  ends.authorities(
    'egress_authorities',
    () => `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${pem.long}`,
  );
  expect(ends.read()).toEqual([{ use: 'egress_authorities', seconds: endOf(pem.long) }]);
});
