// Random pods, valid and misshapen: each has an outcome, the patch gives a valid pod, and a second injection changes
// nothing.
import { describe, expect, it } from 'vitest';
import { inject, outcomes } from '../../../injector/inject.ts';
import { Random } from '../../support/access/random.ts';
import { applyPatch, appPod, injectionSettings, patchOf, type TestPod } from '../../support/injection.ts';
import { validateObject } from '../../support/kubernetes-schemas.ts';
import { roundsOf } from '../../support/seed.ts';

const seed = Date.now() % 2 ** 31;
console.log(`random pods: seed ${seed}`);
const random = new Random(seed);

const several = <T>(max: number, make: (index: number) => T): T[] =>
  Array.from({ length: random.below(max + 1) }, (_, index) => make(index));
const maybe = (fields: object) => (random.chance(0.5) ? fields : {});

function randomContainer(prefix: string, index: number) {
  const names = [
    'OPENAI_BASE_URL',
    'OPENAI_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'GOOGLE_GEMINI_BASE_URL',
    'A',
    'B',
  ].filter(() => random.chance(0.4));
  const sources = [{ value: 'x' }, { valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }, {}];
  return {
    name: `${prefix}-${index}`,
    image: 'example/app:1',
    ...maybe({ env: names.map((name) => ({ name, ...random.pick(sources) })) }),
    ...maybe({ envFrom: several(1, () => ({ secretRef: { name: 's' } })) }),
    ...maybe({ ports: several(2, () => ({ containerPort: random.pick([80, 8000, 15_400, 15_490]) })) }),
  };
}

function randomPod(): TestPod {
  const annotations = {
    ...maybe({ 'model-gateway.io/mode': random.pick(['forward', 'full']) }),
    ...maybe({ 'model-gateway.io/port': String(random.pick([15_400, 15_490, 15_400 + random.below(100)])) }),
    ...maybe({ 'model-gateway.io/inject': random.pick(['true', 'enabled', 'true', 'disabled']) }),
    ...maybe({ 'example.com/a~b': 'c' }),
  };
  const spec = {
    containers: [randomContainer('app', 0), ...several(3, (index) => randomContainer('app', index + 1))],
    ...maybe({
      initContainers: several(3, (index) => ({
        ...randomContainer('init', index),
        ...maybe({ restartPolicy: 'Always' }),
      })),
    }),
    ...maybe({ volumes: several(2, (index) => ({ name: `data-${index}`, emptyDir: {} })) }),
    ...maybe({ terminationGracePeriodSeconds: random.below(1000) }),
    ...(random.chance(0.1) && { hostNetwork: true }),
  };
  return appPod({ ...maybe({ annotations }), spec });
}

describe('random pods', () => {
  it('are valid after injection, and are not changed by a second injection', () => {
    const seen = new Set<string>();
    for (let round = 0; round < roundsOf(1000); round++) {
      const pod = randomPod();
      const { outcome } = inject(pod, injectionSettings());
      seen.add(outcome);
      if (outcome === 'refused') continue;
      const after = applyPatch(pod, patchOf(pod));
      expect(patchOf(after), `seed ${seed}, round ${round}`).toEqual([]);
      if (round % 10 === 0) expect(validateObject(after), `seed ${seed}, round ${round}`).toEqual([]);
    }
    expect([...seen].sort()).toEqual(['injected', 'not_injected', 'opted_out', 'refused']);
  });

  it('have an outcome with any value anywhere replaced by junk', () => {
    const junk = [null, true, -1, 1.5, '', 'x', [], {}, [null], [[]], { name: null }, { name: 'x', value: 1 }];
    const seen = new Set<string>();
    for (let round = 0; round < roundsOf(3000); round++) {
      const pod = randomPod();
      const { outcome } = inject(misshapen(pod, random.pick(junk)), injectionSettings());
      seen.add(outcome);
      expect(outcomes, `seed ${seed}, round ${round}`).toContain(outcome);
    }
    expect(seen).toContain('refused');
    expect(seen).toContain('injected');
  });
});

/** Returns a copy in which one value is replaced. */
function misshapen(value: unknown, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return other;
  const keys = Object.keys(value);
  if (keys.length === 0) return other;
  const key = random.pick(keys);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  Reflect.set(copy, key, misshapen(Reflect.get(value, key), other));
  return copy;
}
