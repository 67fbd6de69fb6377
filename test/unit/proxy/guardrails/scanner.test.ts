// Where texts are scanned, by their length and by what it takes.
import { describe, expect, it } from 'vitest';
import type { Guardrail } from '../../../../guardrails/definition.ts';
import type { Matcher } from '../../../../guardrails/matcher.ts';
import { type CompiledGuardrail, CompiledGuardrails } from '../../../../proxy/guardrails/compiled.ts';
import type { Scanned } from '../../../../proxy/guardrails/scan.ts';
import { nsHereMax, Scanner, textMax } from '../../../../proxy/guardrails/scanner.ts';
import type { ScanTask } from '../../../../proxy/guardrails/worker-pool.ts';
import { callWith, literally, openInspecting, wordsGuardrail } from '../../../support/guarded-requests.ts';
import { silentLog } from '../../../support/silent-log.ts';

const nothing: Scanned = { hits: [], failed: [] };
const said = (text: string) => ({ slots: [{ text, isFixed: false, group: 1 }], seams: [] });

function compiled(matcher: Matcher): readonly CompiledGuardrail[] {
  const call = callWith([wordsGuardrail(['BAD'])], {});
  const applied = new CompiledGuardrails({ log: silentLog, compile: () => matcher }).appliedTo(call.caller);
  return applied?.input.texts ?? [];
}

function openScanner(answer: () => Promise<Scanned> = () => Promise.resolve(nothing)) {
  const tasks: ScanTask[] = [];
  const pool = {
    scan: (task: ScanTask) => {
      tasks.push(task);
      return answer();
    },
  };
  return { tasks, scanner: new Scanner({ pool, window: 512 }) };
}

const costing = (cost: number) => compiled({ ...literally(['BAD']), cost });

describe('texts are scanned', () => {
  it('here up to 128 KiB', () => {
    const { scanner, tasks } = openScanner();
    const text = `${'x'.repeat(128 * 1024 - 3)}BAD`;
    const start = text.length - 3;
    expect(scanner.scan(costing(1), said(text))).toEqual({
      hits: [{ text: 0, matcher: 0, start, end: text.length, label: 'WORD' }],
      failed: [],
    });
    expect(tasks).toEqual([]);
  });

  it('in a worker above, with what it needs to know of the guardrails and no more', async () => {
    const { scanner, tasks } = openScanner();
    const text = 'x'.repeat(128 * 1024 + 1);
    expect(await scanner.scan(costing(1), said(text))).toBe(nothing);
    const { id, revision, check } = wordsGuardrail(['BAD']);
    expect(tasks).toEqual([{ guardrails: [{ id, revision, check }], texts: [text], window: 512 }]);
  });

  it('in a worker where that may take too long, however short the text', async () => {
    const { scanner, tasks } = openScanner();
    const slow = costing(nsHereMax / 5_000);
    await scanner.scan(slow, said('x'.repeat(4_900)));
    expect(tasks.length).toBe(0);
    await scanner.scan(slow, said('x'.repeat(5_000)));
    expect(tasks.length).toBe(1);
  });

  it('in a worker where there are very many of them, however short', async () => {
    const { scanner, tasks } = openScanner();
    const slots = Array.from({ length: 20_000 }, (_, group) => ({ text: 'x', isFixed: false, group }));
    await scanner.scan(costing(100), { slots, seams: [] });
    expect(tasks.length).toBe(1);
  });

  it('nowhere without guardrails', () => {
    const { scanner, tasks } = openScanner();
    expect(scanner.scan([], said('x'.repeat(1_000_000)))).toEqual(nothing);
    expect(tasks).toEqual([]);
  });
});

describe('what a worker does not do', () => {
  const long = { messages: [{ role: 'user', content: `${'x'.repeat(200_000)}BAD` }] };
  const away = () => openScanner(() => Promise.reject(new Error('took too long'))).scanner;

  it('is a failed check, by whose rule the request goes on or does not', async () => {
    const rule = (onFailure: Guardrail['onFailure']) => wordsGuardrail(['BAD'], { onFailure });
    const { inspect, decisions } = openInspecting({ scanner: away() });
    await expect(inspect(callWith([rule('block')], long))).rejects.toMatchObject({
      code: 'guardrail_blocked',
    });
    const call = callWith([rule('pass')], long);
    expect((await inspect(call)).call).toBe(call);
    expect(decisions).toEqual(['our-guard input failed_block', 'our-guard input failed_pass']);
  });

  it('nobody waits for who leaves', async () => {
    const { scanner } = openScanner(() => new Promise(() => undefined));
    const { inspect, abort } = openInspecting({ scanner });
    const inspecting = inspect(callWith([wordsGuardrail(['BAD'])], long));
    abort(new Error('the client left'));
    await expect(inspecting).rejects.toThrow('the client left');
  });
});

describe('the longest text', () => {
  const halves = (length: number) => ({
    messages: [
      { role: 'user', content: 'x'.repeat(length / 2) },
      { role: 'assistant', content: 'x'.repeat(length / 2) },
    ],
  });

  it('that is inspected has 1 MiB, all texts together; above it failure rules hold', async () => {
    const { scanner, tasks } = openScanner();
    const { inspect, decisions } = openInspecting({ scanner });
    await inspect(callWith([wordsGuardrail(['BAD'])], halves(textMax)));
    expect(tasks.length).toBe(1);
    expect(() => inspect(callWith([wordsGuardrail(['BAD'])], halves(textMax + 2)))).toThrow('our-guard');
    await inspect(callWith([wordsGuardrail(['BAD'], { onFailure: 'pass' })], halves(textMax + 2)));
    expect(tasks.length).toBe(1);
    expect(decisions).toEqual([
      'our-guard input pass',
      'our-guard input failed_block',
      'our-guard input failed_pass',
    ]);
  });

  it('does not count what is no text', async () => {
    const { inspect } = openInspecting();
    const url = `data:image/png;base64,${'A'.repeat(8 * 1024 * 1024)}`;
    const content = [{ type: 'image_url', image_url: { url } }];
    const call = callWith([wordsGuardrail(['BAD'])], { messages: [{ role: 'user', content }] });
    expect((await inspect(call)).call).toBe(call);
  });
});
