// Captures in the proxy: which requests are captured, that sides are sealed and reported in batches, and that they are
// dropped and counted where the queue or a share is full or the control plane never accepts them.
import { beforeEach, describe, expect, it } from 'vitest';
import { openContent } from '../../../../common/captured-content.ts';
import { createHpkeKeys, hpkePrivateKey } from '../../../../common/hpke.ts';
import { uuidv7 } from '../../../../common/uuid.ts';
import { captureRulesOf, sampledRule } from '../../../../proxy/access/capture.ts';
import { CaptureKey, type CaptureRule } from '../../../../proxy/access/capture-settings.ts';
import type { Principal } from '../../../../proxy/access/principal.ts';
import { type CaptureClient, Captures, type SealedSide } from '../../../../proxy/captures/captures.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const keys = createHpkeKeys();
const dayMs = 86_400_000;

function rule(fields: Partial<CaptureRule> = {}): CaptureRule {
  return {
    ...{ id: 'setting', target: { kind: 'organization', id: 'acme' }, endsAt: Number.POSITIVE_INFINITY },
    ...{ samplePerThousand: 1000, retentionDays: 7, sideBytesMax: 65_536 },
    ...fields,
  };
}

function principal(
  rules: readonly CaptureRule[],
  fields: { organizationId?: string; publicKey?: Buffer } = {},
): Principal {
  const { organizationId: id = 'acme', publicKey = keys.publicKey } = fields;
  const capture = { rules, publicKey: new CaptureKey(publicKey), generation: 3 };
  const key = { keyId: 'key', organizationId: id, scope: { kind: 'ai_system', id: 'system' } };
  return { key, organization: { id, capture } } as unknown as Principal;
}

describe('a request is captured', () => {
  it('by the rules of its key, its AI system and its organization, in this order, until their end', () => {
    const rules = [
      rule({ id: 'all' }),
      rule({ id: 'system', target: { kind: 'ai_system', id: 'system' } }),
      rule({ id: 'another system', target: { kind: 'ai_system', id: 'other' } }),
      rule({ id: 'key', target: { kind: 'virtual_key', id: 'key' }, endsAt: 1_000 }),
    ];
    const ids = (now: number) => captureRulesOf(principal(rules), now).map(({ id }) => id);
    expect(ids(999)).toEqual(['key', 'system', 'all']);
    expect(ids(1_000)).toEqual(['system', 'all']);
    expect(captureRulesOf({ ...principal([]), organization: { id: 'acme' } } as unknown as Principal, 0)).toEqual([]);
  });

  it('by its id, the same each time, and in the rate of the sample', () => {
    const rules = [rule({ id: 'few', samplePerThousand: 100 }), rule({ id: 'half', samplePerThousand: 500 })];
    const ids = Array.from({ length: 4_000 }, () => uuidv7());
    const chosen = ids.map((id) => sampledRule(rules, id)?.id);
    expect(ids.map((id) => sampledRule(rules, id)?.id)).toEqual(chosen);
    const part = (name: string) => chosen.filter((one) => one === name).length / ids.length;
    expect(part('few')).toBeGreaterThan(0.07);
    expect(part('few')).toBeLessThan(0.13);
    expect(part('half')).toBeGreaterThan(0.35);
    expect(part('half')).toBeLessThan(0.45);
  });
});

describe('the queue of captures', () => {
  let time: VirtualTime;
  let reports: (readonly SealedSide[])[];
  let response: (sides: readonly SealedSide[]) => ReturnType<CaptureClient['report']>;
  let counted: { recorded: number; dropped: number };
  let failures: unknown[];
  let captures: Captures;

  beforeEach(() => {
    time = new VirtualTime();
    reports = [];
    response = async () => ({ dropped: 0 });
    counted = { recorded: 0, dropped: 0 };
    failures = [];
    captures = new Captures({
      client: {
        report: (sides) => {
          reports.push(sides);
          return response(sides);
        },
      },
      metrics: {
        recorded: (sides) => {
          counted.recorded += sides;
        },
        dropped: (sides) => {
          counted.dropped += sides;
        },
      },
      ...{ clock: time, timers: time },
      background: (_name, promise) => void promise.catch((error: unknown) => failures.push(error)),
    });
  });

  const immediate = () => new Promise((resolve) => setImmediate(resolve));
  /** Captures a request with texts of this length, and its whole response. */
  async function captured(length = 10, of = principal([rule()])): Promise<string> {
    const id = uuidv7();
    const text = 'x'.repeat(length);
    const body = { model: 'a/b', messages: [{ role: 'user', content: text }] };
    const capture = captures.begin({
      ...{ principal: of, id, requestId: 'chosen', restored: undefined, keepsResponse: true },
      request: { ...{ body, model: 'a/b', messages: [], stream: false, includeUsage: false, bytes: length } },
      headers: new RequestHeaders([]),
      openTexts: () => clientFormats.chat_completions.openTexts(undefined),
    });
    capture?.body(Buffer.from(JSON.stringify({ text: 'a response' })));
    capture?.end(false);
    await immediate();
    await immediate();
    return id;
  }

  it('reports both sides together, sealed to the key of the record and bound to the request', async () => {
    const id = await captured();
    await time.advance(1_000);
    const [sides] = reports;
    expect(
      sides?.map(({ side, requestId, settingId, generation }) => [side, requestId, settingId, generation]),
    ).toEqual([
      ['request', 'chosen', 'setting', 3],
      ['response', 'chosen', 'setting', 3],
    ]);
    for (const { side, expiresAt, sealed } of sides ?? []) {
      expect(expiresAt - Date.now()).toBeGreaterThan(6.9 * dayMs);
      const binding = { organizationId: 'acme', id, side, expiresAt };
      const content = openContent(hpkePrivateKey(keys.privateKey), binding, sealed);
      expect(content?.text).toContain(side === 'request' ? 'xxxxxxxxxx' : 'a response');
    }
    expect(counted).toEqual({ recorded: 2, dropped: 0 });
    expect(captures.share.used).toBe(0);
  });

  it('keeps a bounded number of bytes while the control plane is away, and one organization leaves room for others', async () => {
    response = () => Promise.reject(new Error('away'));
    for (let sent = 0; sent < 700; sent++) await captured(60_000);
    const mib = 1024 * 1024;
    expect(captures.share.used).toBeLessThanOrEqual(33 * mib);
    expect(captures.share.used).toBeGreaterThan(24 * mib);
    const { dropped } = counted;
    expect(dropped).toBeGreaterThan(100);
    await captured(
      60_000,
      principal([rule({ target: { kind: 'organization', id: 'other' } })], { organizationId: 'other' }),
    );
    expect(counted.dropped).toBe(dropped);
    await time.advance(60_000);
    expect(reports.length).toBeLessThan(12);
    response = async () => ({ dropped: 0 });
    await time.advance(60_000);
    expect(counted.recorded + counted.dropped).toBe(701 * 2);
    expect(captures.share.used).toBe(0);
    for (const sides of reports) {
      expect(sides.length).toBeLessThanOrEqual(100);
      expect(sides.reduce((sum, { sealed }) => sum + sealed.length, 0)).toBeLessThanOrEqual(3 * mib);
    }
  });

  it('drops what the control plane never accepts or does not keep, and what is left when the proxy stops', async () => {
    response = async () => 'refused';
    await captured();
    await time.advance(1_000);
    expect(counted).toEqual({ recorded: 0, dropped: 2 });
    response = async () => ({ dropped: 1 });
    await captured();
    await time.advance(300_000);
    expect(counted).toEqual({ recorded: 1, dropped: 3 });
    response = () => new Promise(() => undefined);
    await captured();
    const closing = captures.close();
    await time.advance(5_000);
    await closing;
    expect(counted).toEqual({ recorded: 1, dropped: 5 });
    expect(captures.share.used).toBe(0);
  });

  it('captures nothing with an unusable key, and keeps no room for it', async () => {
    await captured(10, principal([rule()], { publicKey: Buffer.alloc(32) }));
    await time.advance(1_000);
    expect(failures).toHaveLength(1);
    expect(reports).toEqual([]);
    expect(captures.share.used).toBe(0);
    expect(CaptureKey.isUsable(Buffer.alloc(31))).toBe(false);
  });
});
