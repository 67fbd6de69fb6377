// Services get long texts in windows: the same windows for a whole response and for a stream, however the stream is
// cut.
import { describe, expect, it } from 'vitest';
import type { ServiceGuard } from '../../../../../proxy/guardrails/service.ts';
import { askServices } from '../../../../../proxy/guardrails/services/ask-services.ts';
import { WindowedText, windowOf, windowsOf } from '../../../../../proxy/guardrails/services/windows.ts';
import {
  blocked,
  chunkOf,
  finishOf,
  guarded,
  receive,
  responseGuards,
  responseTo,
} from '../../../../support/guarded-streams.ts';
import { roundsOf } from '../../../../support/seed.ts';
import { guardrailOf } from '../../../../support/service-guards.ts';

const found = 'SECRET';
const never = new AbortController().signal;

interface Watching extends ServiceGuard {
  readonly requested: string[];
}

/** A guard that finds a word anywhere in a window. */
function watching(action: 'block' | 'redact', window: number, word = found): Watching {
  const requested: string[] = [];
  return {
    guardrail: guardrailOf({ kind: 'unknown' }, { id: `${action}${window}`, action }),
    ...{ delaysResponse: true, window, requested, ended: () => undefined },
    inspect: async (texts) => {
      requested.push(...texts);
      if (action === 'redact') return texts.map((text) => text.replaceAll(word, '[IT]'));
      if (texts.some((text) => text.includes(word))) throw blocked();
      return texts;
    },
  };
}

/** Pseudo-random numbers, the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function randomText(roll: (below: number) => number): string {
  const words = ['a ', 'bc ', '😀', found, ' ', 'long-word-', 'SEC', 'RET'];
  return Array.from({ length: roll(60) }, () => words[roll(words.length)]).join('');
}

function cutAtRandom(text: string, roll: (below: number) => number): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + roll(roll(2) === 0 ? 3 : 40);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

describe('windows of a text', () => {
  it('overlap by a quarter and end with the text', () => {
    const text = '0123456789'.repeat(25);
    expect(windowsOf(text, 100)).toEqual([text.slice(0, 100), text.slice(75, 175), text.slice(150, 250)]);
    expect(windowsOf('', 100)).toEqual([]);
    expect(windowsOf(text.slice(0, 100), 100)).toEqual([text.slice(0, 100)]);
  });

  it('cut no character in two', () => {
    const windows = windowsOf('😀'.repeat(101), 51);
    for (const window of windows) expect(window.isWellFormed()).toBe(true);
  });

  it('contain every span of up to the overlap’s length as a whole', () => {
    const text = Array.from({ length: 700 }, (_, at) => String.fromCharCode(0x100 + at)).join('');
    const windows = windowsOf(text, 100);
    for (let at = 0; at + 25 <= text.length; at++)
      expect(windows.some((window) => window.includes(text.slice(at, at + 25)))).toBe(true);
  });

  it('release no text before it is decided', () => {
    const windowed = new WindowedText(100);
    windowed.push('a'.repeat(100));
    expect([windowed.isDue, windowed.decided, windowed.withheld]).toEqual([false, 0, 100]);
    windowed.push('b');
    expect(windowed.ask()).toBe('a'.repeat(100));
    expect(windowed.returned('a'.repeat(100))).toBe('a'.repeat(75));
    expect([windowed.decided, windowed.withheld]).toEqual([75, 26]);
  });

  it('have the length of the guardrail, limited by the service', () => {
    const prompt = { kind: 'model', model: 'a/b', form: 'prompt_guard', criterion: '' } as const;
    const check = { ...prompt, topics: [], categories: [], scoreMin: undefined, timeoutMs: 1 };
    expect(windowOf({ check, window: 5000 }, 'output')).toBe(900);
    expect(windowOf({ check, window: 500 }, 'output')).toBe(500);
    expect(windowOf({ check }, 'input')).toBe(900);
    expect(windowOf({ check: { kind: 'unknown' } }, 'output')).toBe(1000);
    expect(windowOf({ check: { kind: 'unknown' } }, 'input')).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a stream cut at random, compared with the whole response', () => {
  it.each([
    ['one that blocks', () => [watching('block', 24)]],
    ['one that rewrites', () => [watching('redact', 32)]],
    ['two that rewrite', () => [watching('redact', 40), watching('redact', 28, 'long')]],
    ['all kinds', () => [watching('block', 24, 'never'), watching('block', 40, 'ever'), watching('redact', 32)]],
  ])('gives the same result and the same calls for %s', async (_what, services) => {
    const roll = dice(7);
    for (let run = 0; run < roundsOf(150); run++) {
      const text = randomText(roll);
      const ofWhole = services();
      const whole = await askServices(ofWhole, [{ text, isFixed: false }], never).then(
        ([left]) => left ?? '',
        () => undefined,
      );
      const ofStream = services();
      const events = [...cutAtRandom(text, roll).map((content) => chunkOf({ content })), finishOf('stop')];
      const received = await responseTo(responseGuards([], { services: ofStream }), events).catch(() => undefined);
      if (whole === undefined) {
        expect(received?.failure ?? 'refused').toBeDefined();
        expect(received?.text() ?? '').not.toContain(found);
        expect(received?.hasEnded ?? false).toBe(false);
      } else expect([run, received?.text()]).toEqual([run, whole]);
      for (const [at, { requested }] of ofStream.entries()) {
        const wholes = ofWhole[at]?.requested ?? [];
        // When one service refuses, the others may get fewer or more calls.
        if (whole !== undefined) expect([run, at, requested]).toEqual([run, at, wholes]);
      }
    }
  });

  it('pieces in an unknown field are one text for a service', async () => {
    const { source, result } = guarded(responseGuards([], { services: [watching('block', 200)] }));
    source.say(chunkOf({ odd: 'it is SEC' }), chunkOf({ odd: 'RET now' }), finishOf('stop'));
    source.end();
    await expect(result).rejects.toMatchObject({ code: 'guardrail_blocked' });
    const rewriting = guarded(responseGuards([], { services: [watching('redact', 200)] }));
    rewriting.source.say(chunkOf({ odd: 'it is SEC' }), chunkOf({ odd: 'RET now' }), finishOf('stop'));
    rewriting.source.end();
    const received = receive(await rewriting.result);
    await expect.poll(() => received.hasEnded).toBe(true);
    expect(received.bytes).toContain('it is [IT] now');
    expect(received.bytes).not.toContain('RET');
  });
});
