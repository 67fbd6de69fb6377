// One name with four values marks whether a pod wants a sidecar. A wrong name or value is refused with the right one.
import { describe, expect, it } from 'vitest';
import { inject } from '../../../injector/inject.ts';
import {
  annotatedPod,
  appPod,
  injectionSettings,
  refusalOf,
  type TestPod,
  warningsOf,
} from '../../support/injection.ts';

const name = 'model-gateway.io/inject';

function marked(labels: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}) {
  const pod = appPod({ annotations });
  return { ...pod, metadata: { ...pod.metadata, labels } };
}

const outcomeOf = (pod: TestPod, surroundings = {}) => inject(pod, injectionSettings(), surroundings).outcome;

describe('a pod’s wish for a sidecar', () => {
  it.each([
    ['enabled', 'injected'],
    ['true', 'injected'],
    ['disabled', 'opted_out'],
    ['false', 'opted_out'],
  ])('%s is accepted as label and as annotation', (word, outcome) => {
    expect(outcomeOf(marked({ [name]: word }))).toBe(outcome);
    expect(outcomeOf(annotatedPod({ inject: word }))).toBe(outcome);
    expect(outcomeOf(marked({ [name]: word }, { [name]: word }))).toBe(outcome);
  });

  it('can be a label and an annotation of the same meaning with different values', () => {
    expect(outcomeOf(marked({ [name]: 'enabled' }, { [name]: 'true' }))).toBe('injected');
    expect(outcomeOf(marked({ [name]: 'false' }, { [name]: 'disabled' }))).toBe('opted_out');
  });

  it('is refused when label and annotation disagree', () => {
    expect(refusalOf(marked({ [name]: 'enabled' }, { [name]: 'false' }))).toBe(
      'the pod’s label model-gateway.io/inject is enabled, its annotation disabled; keep one of them',
    );
  });

  it.each([
    ['yes', '; write enabled'],
    ['True', '; write enabled'],
    ['on', '; write enabled'],
    ['no', '; write disabled'],
    ['Disable', '; write disabled'],
    ['0', '; write disabled'],
    ['perhaps', ''],
    ['', ''],
    ['toString', ''],
  ])('with another value is refused with the right one: %j', (word, hint) => {
    const must = `model-gateway.io/inject must be enabled or true, disabled or false, not ${JSON.stringify(word)}${hint}`;
    expect(refusalOf(marked({ [name]: word }))).toBe(`the label ${must}`);
    expect(refusalOf(annotatedPod({ inject: word }))).toBe(`the annotation ${must}`);
  });
});

describe('a misspelled label or annotation', () => {
  it.each([
    ['model-gateway.io/injection', '; model-gateway.io/inject requests a sidecar'],
    ['model-gateway.io/sidecar', '; model-gateway.io/inject requests a sidecar'],
    ['sidecar.model-gateway.io/inject', '; model-gateway.io/inject requests a sidecar'],
    ['model-gateway/inject', '; model-gateway.io/inject requests a sidecar'],
    ['model-gateway-injection', '; model-gateway.io/inject requests a sidecar'],
    ['model-gateway.io/ports', ''],
  ])('is refused as label and as annotation: %s', (wrong, right) => {
    expect(refusalOf(marked({ [wrong]: 'true' }))).toBe(`there is no label "${wrong}"${right}`);
    expect(refusalOf(appPod({ annotations: { [wrong]: 'true' } }))).toBe(`there is no annotation "${wrong}"${right}`);
  });

  it('is also an annotation that was written as a label', () => {
    expect(refusalOf(marked({ 'model-gateway.io/port': '8081' }))).toBe(
      'there is no label "model-gateway.io/port"; it is an annotation',
    );
  });

  it('is ignored in a pod that opted out', () => {
    expect(outcomeOf(marked({ [name]: 'false', 'model-gateway.io/ports': 'x' }))).toBe('opted_out');
  });

  it('is never one under the name of another owner', () => {
    const others = {
      'app.kubernetes.io/name': 'x',
      'example.com/model-gateway': 'x',
      'my-model-gateway': 'x',
    };
    expect(outcomeOf(marked(others, others))).toBe('injected');
  });

  it('is never the namespace’s label on a pod, which gets a warning because it does nothing there', () => {
    const pod = marked({ 'model-gateway.io/tenant': 'true' });
    expect(outcomeOf(pod)).toBe('injected');
    expect(warningsOf(pod)).toEqual(['model-gateway.io/tenant is a label of namespaces; on a pod it does nothing']);
  });
});

describe('a namespace whose label has a wrong value', () => {
  const surroundings = { unknownWordOf: 'team-a' };

  it('has its pods refused, with the valid values', () => {
    expect(inject(appPod(), injectionSettings(), surroundings)).toEqual({
      outcome: 'refused',
      wasMarked: false,
      message:
        'the label model-gateway.io/inject of the namespace team-a must be enabled or true, disabled or false; its pods are refused until it is one of them',
    });
  });

  it('does not affect a pod with a wish of its own', () => {
    expect(outcomeOf(annotatedPod({ inject: 'enabled' }), surroundings)).toBe('injected');
    expect(outcomeOf(annotatedPod({ inject: 'disabled' }), surroundings)).toBe('opted_out');
  });
});
