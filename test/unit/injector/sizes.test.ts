// The size of a sidecar: set by the pod, else by its namespace, else by the operator, then adjusted to LimitRanges. The
// expectations are the rules of Kubernetes' LimitRanger, written out.
import { describe, expect, it } from 'vitest';
import type { LimitItem, NamespaceSizes } from '../../../common/hand-over.ts';
import { inject, type Surroundings } from '../../../injector/inject.ts';
import { amountOf, quantityFrom, quantityOf } from '../../../injector/quantity.ts';
import { Random } from '../../support/access/random.ts';
import {
  annotatedPod,
  applyPatch,
  appPod,
  injectionSettings,
  sidecarOf,
  type TestPod,
} from '../../support/injection.ts';
import { roundsOf } from '../../support/seed.ts';

const item = (over: Partial<LimitItem>): LimitItem => ({
  ...{ type: 'Container', min: {}, max: {}, maxLimitRequestRatio: {} },
  ...over,
});

const namespaceOf = (...limits: readonly Partial<LimitItem>[]): Surroundings => ({
  sizes: { annotations: {}, limits: limits.map(item) },
});

function sized(pod: TestPod, surroundings: Surroundings) {
  const injection = inject(pod, injectionSettings(), surroundings);
  if (injection.outcome === 'refused') return { refused: injection.message };
  const { requests, limits } = sidecarOf(applyPatch(pod, injection.patch)).resources as {
    requests: Record<string, string>;
    limits: Record<string, string>;
  };
  return {
    cpu: [requests.cpu, limits.cpu],
    memory: [requests.memory, limits.memory],
    warnings: injection.warnings,
  };
}

const asDefault = { cpu: ['50m', '1'], memory: ['128Mi', '256Mi'], warnings: [] };

describe('the size of a sidecar', () => {
  const sizes: NamespaceSizes = {
    annotations: { 'model-gateway.io/cpu-limit': '500m', 'model-gateway.io/memory-limit': '512Mi' },
    limits: [],
  };

  it('is the operator’s by default', () => {
    expect(sized(appPod(), {})).toEqual(asDefault);
    expect(sized(appPod(), namespaceOf())).toEqual(asDefault);
  });

  it('is the namespace’s before the operator’s, and the pod’s before both, each value separately', () => {
    expect(sized(appPod(), { sizes })).toEqual({
      ...asDefault,
      cpu: ['50m', '500m'],
      memory: ['128Mi', '512Mi'],
    });
    expect(sized(annotatedPod({ 'cpu-limit': '2', 'memory-request': '300Mi' }), { sizes })).toEqual({
      ...asDefault,
      ...{ cpu: ['50m', '2'], memory: ['300Mi', '512Mi'] },
    });
  });

  it('is refused when the namespace’s value is not an amount, or makes a request larger than its limit', () => {
    const wrong = { ...sizes, annotations: { 'model-gateway.io/cpu-limit': 'lots' } };
    expect(sized(appPod(), { sizes: wrong })).toEqual({
      refused: expect.stringMatching(
        /^an annotation of the namespace is wrong: model-gateway\.io\/cpu-limit: must be processor time/,
      ),
    });
    expect(sized(annotatedPod({ 'cpu-request': '600m' }), { sizes })).toEqual({
      refused: 'model-gateway.io/cpu-request: 600m is more than the limit 500m',
    });
  });
});

describe('a LimitRange of containers', () => {
  it('changes nothing when it has room for the sidecar', () => {
    const wide = namespaceOf({ min: { cpu: '10m', memory: '16Mi' }, max: { cpu: '4', memory: '8Gi' } });
    expect(sized(appPod(), wide)).toEqual(asDefault);
  });

  it('lowers values above its maximum and raises values below its minimum, with a warning', () => {
    expect(sized(appPod(), namespaceOf({ min: { cpu: '100m' }, max: { cpu: '500m', memory: '200Mi' } }))).toEqual({
      ...{ cpu: ['100m', '500m'], memory: ['128Mi', '200Mi'] },
      warnings: [
        'the namespace’s LimitRange makes the sidecar’s model-gateway.io/cpu-request 100m in place of 50m, model-gateway.io/cpu-limit 500m in place of 1, model-gateway.io/memory-limit 200Mi in place of 256Mi',
      ],
    });
  });

  it('also changes a size that the pod chose, because the pod could not be created otherwise', () => {
    expect(sized(annotatedPod({ 'cpu-limit': '2' }), namespaceOf({ max: { cpu: '1500m' } }))).toMatchObject({
      cpu: ['50m', '1500m'],
    });
  });

  it('with a ratio raises the request, so that the sidecar stays as fast', () => {
    expect(sized(appPod(), namespaceOf({ maxLimitRequestRatio: { cpu: '4', memory: '1' } }))).toMatchObject({
      ...{ cpu: ['250m', '1'], memory: ['256Mi', '256Mi'] },
    });
    expect(sized(appPod(), namespaceOf({ maxLimitRequestRatio: { cpu: '3' } }))).toMatchObject({
      cpu: ['334m', '1'],
    });
  });

  it('is kept with a warning when it leaves less memory than a sidecar needs', () => {
    expect(sized(appPod(), namespaceOf({ max: { memory: '64Mi' } }))).toMatchObject({
      memory: ['64Mi', '64Mi'],
      warnings: [expect.anything(), expect.stringContaining('64Mi of memory is less than an idle sidecar takes')],
    });
  });

  it('combines with others: the narrowest counts', () => {
    const several = namespaceOf({ max: { cpu: '2' } }, { max: { cpu: '700m' } }, { min: { cpu: '60m' } });
    expect(sized(appPod(), several)).toMatchObject({ cpu: ['60m', '700m'] });
  });

  it('that no size satisfies is left to the API server, with a warning', () => {
    const impossible = namespaceOf({ min: { cpu: '2' }, max: { cpu: '1' } });
    expect(sized(appPod(), impossible)).toEqual({
      ...asDefault,
      warnings: ['the namespace’s LimitRange leaves no cpu for the sidecar'],
    });
  });
});

describe('a LimitRange of pods', () => {
  const withResources = (requests: object, limits: object) => ({
    container: { resources: { requests, limits } },
  });
  const most = (max: Record<string, string>) => namespaceOf({ type: 'Pod', max });

  it('leaves the sidecar the rest after the other containers', () => {
    const app = appPod(withResources({ cpu: '500m', memory: '1Gi' }, { cpu: '1500m', memory: '1Gi' }));
    expect(sized(app, most({ cpu: '2', memory: '1224Mi' }))).toMatchObject({
      ...{ cpu: ['50m', '500m'], memory: ['128Mi', '200Mi'] },
    });
  });

  it('counts init containers as the API server does: one that needs more than the rest decides', () => {
    const app = appPod({
      ...withResources({ cpu: '100m' }, { cpu: '200m' }),
      spec: {
        containers: [{ name: 'app', resources: { limits: { cpu: '200m' } } }],
        initContainers: [
          { name: 'proxy', restartPolicy: 'Always', resources: { limits: { cpu: '100m' } } },
          { name: 'migrate', resources: { limits: { cpu: '800m' } } },
        ],
      },
    });
    expect(sized(app, most({ cpu: '1' }))).toMatchObject({ cpu: ['50m', '100m'] });
  });

  it('with a minimum or a ratio is satisfied by the sidecar’s share', () => {
    const app = appPod(withResources({ cpu: '100m' }, { cpu: '1' }));
    expect(sized(app, namespaceOf({ type: 'Pod', min: { cpu: '300m' } }))).toMatchObject({
      cpu: ['200m', '1'],
    });
    const ratio = namespaceOf({ type: 'Pod', maxLimitRequestRatio: { cpu: '4' } });
    expect(sized(app, ratio)).toMatchObject({ cpu: ['400m', '1'] });
  });

  it('leaves no room when the app fills it, with a warning', () => {
    const app = appPod(withResources({ cpu: '1' }, { cpu: '1' }));
    expect(sized(app, most({ cpu: '1' }))).toEqual({
      ...asDefault,
      warnings: ['the namespace’s LimitRange leaves no cpu for the sidecar'],
    });
  });

  it('does not apply to a pod with resources at pod level', () => {
    const whole = appPod({ spec: { resources: { limits: { cpu: '1' } } } });
    expect(sized(whole, most({ cpu: '100m' }))).toMatchObject({ cpu: ['50m', '1'] });
  });
});

describe('a pod of the class Guaranteed', () => {
  const even = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
  const lost = expect.stringMatching(/^the pod is Burstable with its sidecar, and was Guaranteed without it: /);
  const warningsOf = (
    container: Readonly<Record<string, unknown>>,
    annotations: Readonly<Record<string, string>> = {},
  ) => {
    const pod = appPod({ container, annotations });
    return sized(pod, {}).warnings;
  };

  it('loses its class to a sidecar with requests below its limits, with a warning', () => {
    expect(warningsOf({ resources: even })).toEqual([lost]);
    expect(warningsOf({ resources: { limits: even.limits } })).toEqual([lost]);
  });

  it('keeps its class with a sidecar whose requests equal its limits', () => {
    const same = {
      'model-gateway.io/cpu-request': '200m',
      'model-gateway.io/cpu-limit': '0.2',
      'model-gateway.io/memory-request': '256Mi',
    };
    expect(warningsOf({ resources: even }, same)).toEqual([]);
  });

  it.each([
    [{}],
    [{ resources: {} }],
    [{ resources: { requests: even.requests } }],
    [{ resources: { ...even, requests: { cpu: '500m', memory: '1Gi' } } }],
    [{ resources: { limits: { cpu: '1' } } }],
  ])('is not one that never was Guaranteed: %j', (container) => {
    expect(warningsOf(container)).toEqual([]);
  });
});

describe('resource amounts of Kubernetes', () => {
  it.each([
    ['0', 0],
    ['250m', 0.25],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['2.', 2],
    ['1e3', 1000],
    ['12E-1', 1.2],
    ['1k', 1000],
    ['128Mi', 128 * 1024 ** 2],
    ['1E', 1e18],
    ['1Ei', 2 ** 60],
    ['100n', 1e-7],
    [3, 3],
  ])('%j is %d', (text, amount) => {
    expect(quantityOf(text)).toBeCloseTo(amount, 12);
  });

  it.each(['', 'm', '1 Gi', '1KB', '0x10', 'Infinity', '--1', '1ee3', `${'1'.repeat(65)}`, null, {}, Number.NaN])(
    '%j is refused',
    (text) => {
      expect(quantityOf(text)).toBeUndefined();
    },
  );

  it('are rounded up to the unit, and written in the usual form', () => {
    expect(amountOf('cpu', '1500u')).toBe(2);
    expect(amountOf('cpu', '0.1')).toBe(100);
    expect(amountOf('memory', '1500m')).toBe(2);
    expect(quantityFrom('cpu', 1500).text).toBe('1500m');
    expect(quantityFrom('cpu', 2000).text).toBe('2');
    expect(quantityFrom('memory', 3 * 1024 ** 2).text).toBe('3Mi');
    expect(quantityFrom('memory', 1000).text).toBe('1000');
  });
});

describe('random LimitRanges', () => {
  const seed = Date.now() % 2 ** 31;
  const random = new Random(seed);
  console.log(`random LimitRanges: seed ${seed}`);

  /** Checks one container as LimitRanger does, in thousandths. */
  function isAllowed(limit: LimitItem, requests: number, limits: number): boolean {
    const [min, max] = [amountOf('cpu', limit.min.cpu), amountOf('cpu', limit.max.cpu)];
    const ratio = quantityOf(limit.maxLimitRequestRatio.cpu);
    return (
      (min === undefined || (requests >= min && limits >= min)) &&
      (max === undefined || (requests <= max && limits <= max)) &&
      (ratio === undefined || limits / requests <= ratio)
    );
  }

  it('never keep out an injected pod that some size of sidecar would admit', () => {
    for (let round = 0; round < roundsOf(3000); round++) {
      const millis = (most: number) => `${1 + random.below(most)}m`;
      const limit = item({
        min: random.chance(0.5) ? { cpu: millis(500) } : {},
        max: random.chance(0.7) ? { cpu: millis(2000) } : {},
        maxLimitRequestRatio: random.chance(0.5) ? { cpu: String(1 + random.below(8)) } : {},
      });
      const { cpu, warnings = [] } = sized(appPod(), { sizes: { annotations: {}, limits: [limit] } });
      const [requests = 0, limits = 0] = (cpu ?? []).map((text) => amountOf('cpu', text) ?? 0);
      const isImpossible = warnings.some((warning) => warning.includes('leaves no cpu'));
      const label = `seed ${seed}, round ${round}: ${JSON.stringify(limit)} ${cpu}`;
      if (isImpossible) expect(quantityOf(limit.min.cpu), label).toBeGreaterThan(quantityOf(limit.max.cpu) ?? 0);
      else expect(isAllowed(limit, requests, limits), label).toBe(true);
    }
  });
});
