// The keeper's reading of namespaces and LimitRanges: sizes within a bound, namespaces that want sidecars, and mistakes
// with the right value.
import { describe, expect, it } from 'vitest';
import { decodeSizes } from '../../../common/hand-over.ts';
import type { JsonObject } from '../../../common/json.ts';
import { collectSizes, mistakesIn, projectNamespace, tenantsIn } from '../../../keeper/namespaces.ts';

const namespace = (name: string, labels: object = {}, annotations: object = {}): JsonObject => ({
  metadata: { name, labels, annotations } as JsonObject,
});
const range = (ofNamespace: string, ...limits: readonly object[]): JsonObject => ({
  metadata: { name: 'limits', namespace: ofNamespace },
  spec: { limits } as unknown as JsonObject,
});

describe('sizes of namespaces', () => {
  it('are collected from namespaces with annotations, with all their LimitRanges', () => {
    const sized = namespace('b', {}, { 'model-gateway.io/cpu-limit': '2', 'model-gateway.io/port': '1' });
    const ranges = [
      range('b', { type: 'Container', max: { cpu: '1', 'ephemeral-storage': '1Gi' } }),
      range('b', { type: 'Pod', min: { memory: '1Gi' } }, { type: 'PersistentVolumeClaim', max: { storage: '1' } }),
      range('a', { type: 'Container', default: { cpu: '1' } }),
    ];
    const { text, leftOut } = collectSizes([namespace('quiet'), sized], ranges);
    expect(leftOut).toBe(0);
    const none = { min: {}, max: {}, maxLimitRequestRatio: {} };
    expect([...decodeSizes(text)]).toEqual([
      ['a', { annotations: {}, limits: [{ ...none, type: 'Container' }] }],
      [
        'b',
        {
          annotations: { 'model-gateway.io/cpu-limit': '2' },
          limits: [
            { ...none, type: 'Container', max: { cpu: '1' } },
            { ...none, type: 'Pod', min: { memory: '1Gi' } },
          ],
        },
      ],
    ]);
  });

  it('stay within two MiB for very many namespaces, and count those that are left out', () => {
    const ranges = Array.from({ length: 30_000 }, (_, index) =>
      range(`namespace-${index}`, { type: 'Container', max: { cpu: '1', memory: '1Gi' } }),
    );
    const { text, leftOut } = collectSizes([], ranges);
    expect(text.length).toBeLessThanOrEqual(2 * 1024 ** 2);
    expect(leftOut).toBeGreaterThan(0);
    expect(decodeSizes(text).size + leftOut).toBe(30_000);
  });

  it('are empty for objects of the wrong shape', () => {
    const odd: readonly JsonObject[] = [
      {},
      { metadata: [] },
      { metadata: { name: 7 }, spec: 'x' },
      range('c'),
      { spec: { limits: [1] } },
    ];
    expect(decodeSizes(collectSizes(odd, odd).text).size).toBe(0);
  });
});

describe('namespaces that want sidecars', () => {
  it('are those with one of two values of the label', () => {
    const words = ['enabled', 'true', 'disabled', 'false', 'yes', 'Enabled', ''];
    const all = words.map((word) => namespace(`with-${word}`, { 'model-gateway.io/inject': word }));
    expect(tenantsIn([...all, namespace('without')])).toEqual(['with-enabled', 'with-true']);
  });
});

describe('mistakes of a namespace', () => {
  it.each([
    ['a word that is none', { 'model-gateway.io/inject': 'yes' }, {}, ['must be enabled or true, disabled or false']],
    [
      'a label in the form of other injectors',
      { 'model-gateway-injection': 'enabled' },
      {},
      ['model-gateway.io/inject: enabled requests'],
    ],
    [
      'a label without its end',
      { 'model-gateway/inject': 'enabled' },
      {},
      ['model-gateway.io/inject: enabled requests'],
    ],
    [
      'an unknown label',
      { 'model-gateway.io/injection': 'enabled' },
      {},
      ['there is no label model-gateway.io/injection'],
    ],
    ['the label as an annotation', {}, { 'model-gateway.io/inject': 'enabled' }, ['it is a label']],
    ['an annotation of pods', {}, { 'model-gateway.io/port': '1' }, ['does nothing on a namespace']],
    ['none', { 'model-gateway.io/inject': 'true', team: 'a' }, { 'model-gateway.io/cpu-limit': '1' }, []],
  ])('%s', (_what, labels, annotations, stated) => {
    const mistakes = mistakesIn(projectNamespace(namespace('n', labels, annotations)));
    expect(mistakes).toEqual(stated.map((words) => expect.stringContaining(words)));
  });
});
