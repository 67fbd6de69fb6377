// The scanner chooses where to scan texts by their length and likely duration: at once, in slices, or in a worker.
// Scans that lack time or room are unavailable.
import { describe, expect, it } from 'vitest';
import type { Guardrail } from '../../../../guardrails/definition.ts';
import type { Matcher } from '../../../../guardrails/matcher.ts';
import type { Scanned } from '../../../../guardrails/scan.ts';
import { type CompiledGuardrail, CompiledGuardrails } from '../../../../proxy/guardrails/compiled.ts';
import { NoCapacityError, type ScanTask } from '../../../../proxy/guardrails/scan-worker.ts';
import { nsHereMax, type PendingScan, Scanner, textMax } from '../../../../proxy/guardrails/scanner.ts';
import { LoopScheduler } from '../../../../proxy/loop-scheduler.ts';
import { callWith, literally, openInspecting, phrasesGuardrail } from '../../../support/guarded-requests.ts';
import { silentLog } from '../../../support/silent-log.ts';

const nothing: Scanned = { hits: [], failed: [] };
const slotsOf = (text: string) => ({ slots: [{ text, isFixed: false, group: 1 }], joins: [] });
const owner = { organization: 'o', key: 'k' };

function compiled(matcher: Matcher, guardrails = [phrasesGuardrail(['BAD'])]): readonly CompiledGuardrail[] {
  const call = callWith(guardrails, {});
  const applied = new CompiledGuardrails({ log: silentLog, compile: () => matcher }).appliedTo(call.caller);
  return applied?.input.texts ?? [];
}

/** A clock that advances by `ms` at each reading, as on a machine whose processor is mostly busy elsewhere. */
function slowClock(ms: number): () => number {
  let now = 0;
  return () => {
    now += ms;
    return now;
  };
}

interface Opened {
  readonly tasks: ScanTask[];
  readonly scanner: Scanner;
}

function openScanner(
  respond: (task: ScanTask) => Promise<Scanned> = () => Promise.resolve(nothing),
  clock: { now?: () => number; cpu?: () => number } = {},
): Opened {
  const tasks: ScanTask[] = [];
  const pool = {
    scan: (task: ScanTask) => {
      tasks.push(task);
      return { scanned: respond(task), cancel: () => undefined };
    },
  };
  const now = clock.now ?? (() => performance.now());
  const loop = new LoopScheduler({ now });
  return { tasks, scanner: new Scanner({ pool, loop: loop, window: 512, now, ...clock }) };
}

const costing = (likelyCost: number) => compiled({ ...literally(['BAD']), cost: 20, likelyCost });

function finished(scanned: Scanned | PendingScan): Scanned | Promise<Scanned> {
  return 'scanned' in scanned ? scanned.scanned : scanned;
}

describe('the scanner of texts', () => {
  it('scans at once when that takes no longer than a slice', () => {
    const { scanner, tasks } = openScanner(undefined, { now: () => 0 });
    const text = `${'x'.repeat(128 * 1024 - 3)}BAD`;
    const start = text.length - 3;
    expect(scanner.scan(costing(1), slotsOf(text), owner)).toEqual({
      hits: [{ text: 0, matcher: 0, start, end: text.length, label: 'WORD' }],
      failed: [],
    });
    expect(tasks).toEqual([]);
  });

  it('scans in slices of the event loop when that takes longer, with other ticks between them', async () => {
    const { scanner, tasks } = openScanner(undefined, { now: slowClock(1.5), cpu: () => 0 });
    const text = `${'x'.repeat(1024 * 1024 - 3)}BAD`;
    const pending = scanner.scan(costing(1), slotsOf(text), owner);
    let others = 0;
    const other = setInterval(() => others++, 0);
    expect(scanner.slices.used).toBe(text.length);
    expect((await finished(pending)).hits).toMatchObject([{ start: text.length - 3, end: text.length }]);
    clearInterval(other);
    expect([tasks.length, scanner.slices.used]).toEqual([0, 0]);
    expect(others).toBeGreaterThan(0);
  });

  it('scans in a worker when that is likely to take long, and sends only the necessary fields of the guardrails', async () => {
    const { scanner, tasks } = openScanner();
    const cost = nsHereMax / 5_000;
    await finished(scanner.scan(costing(cost), slotsOf('x'.repeat(4_900)), owner));
    expect(tasks.length).toBe(0);
    const text = 'x'.repeat(5_000);
    expect(await finished(scanner.scan(costing(cost), slotsOf(text), owner))).toMatchObject(nothing);
    const { id, revision, check } = phrasesGuardrail(['BAD']);
    expect(tasks).toEqual([{ guardrails: [{ id, revision, check }], texts: [text], window: 512 }]);
  });

  it('scans in a worker when there are very many texts, however short', async () => {
    const { scanner, tasks } = openScanner();
    const slots = Array.from({ length: 20_000 }, (_, group) => ({ text: 'x', isFixed: false, group }));
    await finished(scanner.scan(costing(100), { slots, joins: [] }, owner));
    expect(tasks.length).toBe(1);
  });

  it('moves to a worker when a scan takes more processor time than was likely', async () => {
    const { scanner, tasks } = openScanner(undefined, { now: slowClock(1.5), cpu: slowClock(15) });
    await finished(scanner.scan(costing(1), slotsOf('x'.repeat(textMax)), owner));
    expect(tasks.length).toBe(1);
  });

  it('moves to a worker when a match has begun that does not end', async () => {
    const { scanner, tasks } = openScanner();
    const open: Matcher = {
      cost: 2_000,
      likelyCost: 1,
      inspect: (_, from) => ({ findings: [], decided: from }),
    };
    await finished(scanner.scan(compiled(open), slotsOf('x'.repeat(50_000)), owner));
    expect(tasks.length).toBe(1);
  });

  it('scans nothing without guardrails', () => {
    const { scanner, tasks } = openScanner();
    expect(scanner.scan([], slotsOf('x'.repeat(1_000_000)), owner)).toEqual(nothing);
    expect(tasks).toEqual([]);
  });

  it('merges matches of a worker with its own, by guardrail', async () => {
    const guardrails = [
      phrasesGuardrail(['slow'], { id: '1', action: 'observe' }),
      phrasesGuardrail(['BAD'], { id: '2' }),
    ];
    const [slow, quick] = compiled({ ...literally(['BAD']), cost: 20, likelyCost: 1 }, guardrails);
    if (slow === undefined || quick === undefined) throw new Error('two');
    const open: Matcher = {
      cost: 2_000,
      likelyCost: 1,
      inspect: (_, from) => ({ findings: [], decided: from }),
    };
    const hit = { text: 0, matcher: 0, start: 2, end: 5, label: 'WORD' };
    const { scanner, tasks } = openScanner(() => Promise.resolve({ hits: [hit], failed: [] }));
    const text = `BAD ${'x'.repeat(50_000)}`;
    const scanned = await finished(scanner.scan([{ ...slow, matcher: open }, quick], slotsOf(text), owner));
    expect(tasks[0]?.guardrails.map(({ id }) => id)).toEqual(['1']);
    expect(scanned.hits).toEqual([hit, { text: 0, matcher: 1, start: 0, end: 3, label: 'WORD' }]);
  });
});

describe('a processor that is mostly busy elsewhere', () => {
  it('still serves thirty clean prompts of 8,000 characters at once', async () => {
    // Each reading of the clock costs 20 ms: no slice is ever within its time, and no worker ever starts.
    const clock = { now: slowClock(20), cpu: slowClock(0.5) };
    const { scanner, tasks } = openScanner(() => new Promise(() => undefined), clock);
    const { inspect, decisions } = openInspecting({ scanner });
    const personal = (text: string) => ({ messages: [{ role: 'user', content: text }] });
    const prompt = 'Dear Ms Quartz, our 3 engineers moved the box of 14 July. '.repeat(140).slice(0, 8_000);
    const all = Array.from({ length: 30 }, () => inspect(callWith([phrasesGuardrail(['BAD'])], personal(prompt))));
    expect(await Promise.allSettled(all)).toHaveLength(30);
    expect(decisions).toEqual(Array.from({ length: 30 }, () => 'our-guard input pass'));
    expect(tasks).toEqual([]);
  });
});

describe('a text that could not be inspected', () => {
  const long = { messages: [{ role: 'user', content: `${'x'.repeat(900_000)}BAD` }] };
  const busy = () => openScanner(() => Promise.reject(new NoCapacityError('too much waits'))).scanner;
  const rule = (fields: Partial<Guardrail>) => phrasesGuardrail(['BAD'], fields);
  const expensive = { compile: () => ({ ...literally(['BAD']), likelyCost: 1_000 }) };

  it.each(['block', 'pass'] as const)(
    'gets 503 with retry-after, and no decision, under the failure rule %s',
    async (onFailure) => {
      const { inspect, decisions, samples, context } = openInspecting({ scanner: busy() }, expensive);
      await expect(inspect(callWith([rule({ onFailure })], long))).rejects.toMatchObject({
        code: 'guardrail_unavailable',
        status: 503,
        retryAfter: expect.any(Number),
      });
      expect(decisions).toEqual(['our-guard input unavailable']);
      expect(samples).toMatchObject([{ decision: 'unavailable' }]);
      expect(context.record).toEqual({
        guardrailHeader: 'our-guard=unavailable',
        guardrailId: 'guardrail-1',
        guardrailsNotPassed: 'our-guard=unavailable',
        withheldStages: ['input'],
      });
    },
  );

  it('passes when its guardrail only observes', async () => {
    const { inspect, decisions } = openInspecting({ scanner: busy() }, expensive);
    const call = callWith([rule({ action: 'observe' })], long);
    expect((await inspect(call)).call).toBe(call);
    expect(decisions).toEqual(['our-guard input unavailable']);
  });

  it('does not undo a match that was found before', async () => {
    const found: Scanned = {
      ...{ hits: [{ text: 0, matcher: 0, start: 900_000, end: 900_003, label: 'WORD' }], failed: [] },
      unavailable: [1],
    };
    const { scanner } = openScanner(() => Promise.resolve(found));
    const { inspect, decisions } = openInspecting({ scanner }, expensive);
    const guardrails = [rule({ id: '1', name: 'finds' }), rule({ id: '2', name: 'lacks-time' })];
    await expect(inspect(callWith(guardrails, long))).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(decisions).toEqual(['finds input block']);
  });

  it('is not waited for when the caller has left', async () => {
    const { scanner } = openScanner(() => new Promise(() => undefined));
    const { inspect, abort } = openInspecting({ scanner }, expensive);
    const inspecting = inspect(callWith([rule({})], long));
    abort(new Error('the client left'));
    await expect(inspecting).rejects.toThrow('the client left');
  });
});

describe('slices of many texts', () => {
  const prompts = (content: string) => ({ messages: [{ role: 'user', content }] });
  const of = (organization: string, guardrails: readonly Guardrail[], content: string) => {
    const call = callWith(guardrails, prompts(content));
    const { principal } = call.caller;
    Object.assign(principal, { organization: { ...principal.organization, id: organization } });
    return call;
  };

  /** A matcher that finds nothing, in pieces of 256 characters. */
  const costly = { compile: (): Matcher => ({ cost: 1e6, likelyCost: 1, inspect: nothingIn }) };
  const nothingIn: Matcher['inspect'] = ({ raw }) => ({ findings: [], decided: raw.length });

  it('alternate between organizations: forty long texts of one do not delay a text of another', async () => {
    const { scanner } = openScanner(undefined, { now: slowClock(1.5), cpu: () => 0 });
    const { inspect } = openInspecting({ scanner }, costly);
    const ended: string[] = [];
    const send = async (organization: string) => {
      await inspect(of(organization, [phrasesGuardrail(['BAD'])], 'x'.repeat(5_000)));
      ended.push(organization);
    };
    await Promise.all([...Array.from({ length: 40 }, () => send('a')), send('b')]);
    expect(ended).toHaveLength(41);
    expect(ended.indexOf('b')).toBeLessThan(3);
  });

  it('are refused when their organization has its share of texts under way', async () => {
    const { scanner } = openScanner(undefined, { now: slowClock(1.5), cpu: () => 0 });
    const { inspect, decisions } = openInspecting({ scanner }, { compile: () => ({ cost: 20, inspect: nothingIn }) });
    const send = (organization: string) =>
      Promise.resolve(inspect(of(organization, [phrasesGuardrail(['BAD'])], 'x'.repeat(textMax))));
    const all = await Promise.allSettled([
      ...Array.from({ length: 70 }, () => Promise.resolve().then(() => send('a'))),
      Promise.resolve().then(() => send('b')),
    ]);
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(20);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'guardrail_unavailable' } });
    expect(all.at(-1)?.status).toBe('fulfilled');
    expect(new Set(decisions)).toEqual(new Set(['our-guard input pass', 'our-guard input unavailable']));
    expect([scanner.slices.used, scanner.slices.refused]).toEqual([0, refused.length]);
  });
});

describe('the longest text to inspect', () => {
  const halves = (length: number) => ({
    messages: [
      { role: 'user', content: 'x'.repeat(length / 2) },
      { role: 'assistant', content: 'x'.repeat(length / 2) },
    ],
  });

  it('has 1 MiB for all texts together, and above it failure rules apply', async () => {
    const { scanner } = openScanner();
    const { inspect, decisions } = openInspecting({ scanner });
    await inspect(callWith([phrasesGuardrail(['BAD'])], halves(textMax)));
    await expect((async () => inspect(callWith([phrasesGuardrail(['BAD'])], halves(textMax + 2))))()).rejects.toThrow(
      'our-guard',
    );
    await inspect(callWith([phrasesGuardrail(['BAD'], { onFailure: 'pass' })], halves(textMax + 2)));
    expect(decisions).toEqual(['our-guard input pass', 'our-guard input failed_block', 'our-guard input failed_pass']);
  });

  it('does not include data that is not text', async () => {
    const { inspect } = openInspecting();
    const url = `data:image/png;base64,${'A'.repeat(8 * 1024 * 1024)}`;
    const content = [{ type: 'image_url', image_url: { url } }];
    const call = callWith([phrasesGuardrail(['BAD'])], { messages: [{ role: 'user', content }] });
    expect((await inspect(call)).call).toBe(call);
  });
});
