// The table of failures: for each vendor its own errors, and everything that can happen to a connection, without and with
// a second stored key, whole and streamed. Tested with the SDK of the vendor's own format, without retries of its own.
// Each failure is tried in one of both forms, in turn; GATEWAY_TEST_ROUNDS=2 tries both.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import type { RecordedRequest } from '../../simulator/index.ts';
import { type BlackHole, startBlackHole } from '../support/black-hole.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { startGateway, type TestGateway, type TestProxy } from '../support/gateway.ts';
import { inTurn } from '../support/seed.ts';
import { assistantFailures } from './failures/assistant-provider.ts';
import { failureClients, type ReadResponse } from './failures/clients.ts';
import { connectionFailures, silences, unreached } from './failures/connections.ts';
import type { Failure, Form, Shown } from './failures/failure.ts';
import { gptFailures } from './failures/gpt-provider.ts';
import { cloudFailures } from './failures/managed-cloud-models.ts';
import { type KeyName, keyOf, keyOfNew, secretTexts } from './failures/pairs.ts';
import { searchFailures } from './failures/search-provider.ts';
import { studioFailures } from './failures/studio-ai.ts';

const ownFailures: Readonly<Record<VendorName, readonly Failure[]>> = {
  'gpt-provider': gptFailures,
  'studio-ai': studioFailures,
  'managed-cloud-models': cloudFailures,
  'assistant-provider': assistantFailures,
  'search-provider': searchFailures,
};

const silenceNames = silences('gpt-provider').map(({ name }) => name);

let gateway: TestGateway;
/** It does not wait long for a first byte, and knows no names. */
let hasty: TestProxy;
let silent: BlackHole;
let dns: DnsServer;
let single: string;
/** Of an organization with two keys, where nothing counts against the first one. */
let untroubled: string;
let closedPort = 0;
/** Virtual keys of organizations with two keys. Each vendor uses each of them once. */
const pairs: Promise<string>[] = [];
const pairsUsed = new Map<VendorName, number>();

beforeAll(async () => {
  silent = await startBlackHole();
  dns = await startDnsServer({});
  closedPort = await portThatIsClosed();
  const listed = `127.0.0.1:${silent.port},127.0.0.1:${closedPort}`;
  gateway = await startGateway({ controlPlane: { GATEWAY_PRIVATE_UPSTREAMS: listed } });
  hasty = await gateway.startProxy({
    ...{ GATEWAY_FIRST_BYTE_TIMEOUT: '1s', GATEWAY_IDLE_TIMEOUT: '1s' },
    GATEWAY_DNS_SERVERS: dns.address,
    GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${gateway.simulator.port},${listed}`,
  });
  single = await keyOfNew(gateway, { isPair: false });
  untroubled = await keyOfNew(gateway, { isPair: true });
});
beforeEach(() => gateway.simulator.reset());
afterAll(async () => {
  await gateway.close();
  await Promise.all([silent.stop(), dns.close()]);
});

async function portThatIsClosed(): Promise<number> {
  const opened = await startBlackHole();
  await opened.stop();
  return opened.port;
}

function pairFor(vendor: VendorName): Promise<string> {
  const at = pairsUsed.get(vendor) ?? 0;
  pairsUsed.set(vendor, at + 1);
  pairs[at] ??= keyOfNew(gateway, { isPair: true });
  return pairs[at];
}

describe.each(vendorNames)('%s, whose key', (vendor) => {
  const cases = [...ownFailures[vendor], ...connectionFailures(vendor)].flatMap((failure, index) => {
    const all = casesOf(failure);
    return all.length === 1 ? all : inTurn(all, index, forms.length);
  });

  it.each(cases.filter(isShown))('%s, %s: the SDK reads that failure', async (_name, form, failure) => {
    await expectWithout(vendor, failure, { form, url: gateway.proxy.url });
  });

  it.each(cases.filter(isNext))('%s, %s, is followed by another key: it responds', async (_name, form, failure) => {
    await expectWith(vendor, failure, { form, url: gateway.proxy.url });
  });

  it.each(cases.filter(isFinal))('%s, %s, beside another key: it is not called', async (_name, form, failure) => {
    await expectWith(vendor, failure, { form, url: gateway.proxy.url });
  });
});

describe('a stored key', () => {
  const [brief] = gptFailures.filter(({ again }) => again).flatMap(casesOf);

  it('whose limit is over in a second is used once more if there is no other one', async () => {
    const [, form, failure] = brief ?? [];
    if (failure === undefined || form === undefined) throw new Error('the table lacks a short wait');
    await expectWithout('gpt-provider', failure, { form, url: gateway.proxy.url });
  });

  it.each([
    ['managed-cloud-models', 'whole'],
    ['managed-cloud-models', 'streamed'],
    ['search-provider', 'whole'],
    ['search-provider', 'streamed'],
  ] as const)('of %s whose filter blocks, %s, has responded', async (vendor, form) => {
    const failure = ownFailures[vendor].find(({ shown, again }) => shown === undefined && !again);
    if (failure === undefined) throw new Error('the table lacks a filter');
    await expectWithout(vendor, failure, { form, url: gateway.proxy.url });
  });
});

// These wait, so all vendors do at once.
describe('a provider key of any vendor', () => {
  it.each(silenceNames)('%s: the SDK reads a failure, or the response of another key', async (name) => {
    await Promise.all(
      vendorNames.map(async (vendor) => {
        const failure = silences(vendor).find((one) => one.name === name);
        if (failure === undefined) throw new Error(`${vendor} has no failure ${name}`);
        await expectWithout(vendor, failure, { form: 'streamed', url: hasty.url });
        await expectWith(vendor, failure, { form: 'streamed', url: hasty.url });
      }),
    );
  });
});

describe('a host of any vendor', () => {
  const hosts = [
    ['refuses connections', () => `http://127.0.0.1:${closedPort}`, 502, ['whole', 'streamed']],
    ['has no address', () => 'https://gone.example', 502, ['whole', 'streamed']],
    ['accepts connections and never responds', () => `http://127.0.0.1:${silent.port}`, 504, ['streamed']],
  ] as const;

  it.each(hosts)('%s: the SDK reads a failure, or the response of another key', async (_name, host, status, forms) => {
    const baseUrls = baseUrlsAt(host());
    const alone = await keyOfNew(gateway, { isPair: false, baseUrls });
    const pair = await keyOfNew(gateway, { isPair: true, baseUrls });
    const attempts = status === 502 ? '2' : '1';
    const one = async (vendor: VendorName, form: Form) => {
      const client = failureClients[vendor];
      const read = client[form]({ url: hasty.url, key: alone });
      await expectShown(vendor, read, { ...unreached(vendor, status), attempts });
      const from = gateway.simulator.requests.length;
      const response = await client[form]({ url: hasty.url, key: pair });
      expect([vendor, keysUsed(vendor, from), response.attempts]).toEqual([vendor, ['second'], '2']);
    };
    for (const form of forms) await Promise.all(vendorNames.map((vendor) => one(vendor, form)));
  });
});

function baseUrlsAt(origin: string): Readonly<Record<VendorName, string>> {
  const { baseUrls, url } = gateway.simulator;
  const entries = vendorNames.map((vendor) => [vendor, baseUrls[vendor].replace(url, origin)]);
  return Object.fromEntries(entries);
}

type Case = readonly [name: string, form: Form, failure: Failure];

const isShown = ([, , { shown }]: Case) => shown !== undefined;
const isNext = ([, , { next }]: Case) => next;
const isFinal = ([, , { next }]: Case) => !next;

const forms = ['whole', 'streamed'] as const satisfies readonly Form[];

function casesOf(failure: Failure): readonly Case[] {
  const own: readonly Form[] = failure.form === undefined ? forms : [failure.form];
  return own.map((form) => [failure.name, form, failure] as const);
}

interface Way {
  readonly form: Form;
  readonly url: string;
}

async function expectWithout(vendor: VendorName, failure: Failure, { form, url }: Way): Promise<void> {
  const from = failFirst(vendor, failure);
  const read = failureClients[vendor][form]({ url, key: single });
  const keys: readonly KeyName[] = failure.again ? ['first', 'first'] : ['first'];
  if (failure.shown === undefined) await expectResponse(read, keys, () => keysUsed(vendor, from));
  else await expectShown(vendor, read, failure.shown, () => keysUsed(vendor, from));
}

async function expectWith(vendor: VendorName, failure: Failure, { form, url }: Way): Promise<void> {
  const key = failure.next ? await pairFor(vendor) : untroubled;
  const from = failFirst(vendor, failure);
  const used = () => keysUsed(vendor, from);
  const read = failureClients[vendor][form]({ url, key });
  if (failure.next) await expectResponse(read, ['first', 'second'], used);
  else if (failure.shown === undefined) await expectResponse(read, ['first'], used);
  else {
    await expectShown(vendor, read, failure.shown, used);
    expect(used()).toEqual(['first']);
  }
}

/** @returns the number of requests before */
function failFirst(vendor: VendorName, { sends, again }: Failure): number {
  const times = again ? 1 : Number.POSITIVE_INFINITY;
  gateway.simulator.script(sends, { times, when: (request) => isFor(vendor, request) && keyOf(request) === 'first' });
  return gateway.simulator.requests.length;
}

function keysUsed(vendor: VendorName, from: number): readonly KeyName[] {
  return gateway.simulator.requests
    .slice(from)
    .filter((request) => isFor(vendor, request))
    .map(keyOf);
}

function isFor(vendor: VendorName, { target }: RecordedRequest): boolean {
  const { baseUrls, url } = gateway.simulator;
  return target.startsWith(`${baseUrls[vendor].replace(url, '')}/`);
}

/**
 * @param keys that the vendor sees, in this order. If it had closed the first one's kept connection, that one comes once
 * more.
 */
async function expectResponse(
  pending: Promise<ReadResponse>,
  keys: readonly KeyName[],
  used: () => readonly KeyName[],
): Promise<void> {
  const { attempts } = await pending;
  expect([keys, ['first', ...keys]]).toContainEqual(used());
  expect(attempts).toBe(String(used().length));
}

async function expectShown(
  vendor: VendorName,
  pending: Promise<ReadResponse>,
  shown: Shown,
  used?: () => readonly KeyName[],
): Promise<void> {
  const thrown: unknown = await pending.then(
    ({ text }) => new Error(`it responded with ${text}`),
    (error: unknown) => error,
  );
  const { error, status, message, retryAfter, attempts } = failureClients[vendor].failureOf(thrown);
  expect({ error, status, retryAfter }).toEqual({
    error: shown.error,
    status: shown.status,
    retryAfter: shown.retryAfter,
  });
  expect(message).toContain(shown.message ?? '');
  for (const secret of secretTexts) expect(message).not.toContain(secret);
  if (shown.hides !== undefined) expect(message).not.toContain(shown.hides);
  if (attempts !== undefined) expect(attempts).toBe(shown.attempts ?? String(used?.().length));
}
