// Audit annotations: within one request of an API server, a name is never written with two values, however often the
// webhook is reinvoked.
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../common/json.ts';
import { type Reviewed, review } from '../../../injector/review.ts';
import { Random } from '../../support/access/random.ts';
import { applyPatch, appPod, injected, injectionSettings, type TestPod } from '../../support/injection.ts';
import { reviewOf } from '../../support/reviews.ts';
import { roundsOf } from '../../support/seed.ts';

const settings = { ...injectionSettings(), namespaces: undefined };

/** Invokes the webhook once. */
function invoke(pod: TestPod) {
  const original = reviewOf('deployment');
  const { response } = review(
    JSON.stringify({ ...original, request: { ...original.request, object: pod } }),
    settings,
  ) as Reviewed & { response: { response: { allowed: boolean; patch?: string; auditAnnotations: object } } };
  const { allowed, patch, auditAnnotations } = response.response;
  const operations = patch === undefined ? [] : parseJson(Buffer.from(patch, 'base64').toString());
  return { allowed, audit: auditAnnotations, pod: applyPatch(pod, operations as object[]) };
}

const withSpec = (pod: TestPod, spec: object): TestPod => ({ ...pod, spec: { ...pod.spec, ...spec } });
const withLate = (pod: TestPod, late: object) =>
  withSpec(pod, { containers: [...pod.spec.containers, { name: 'late', ...late }] });

describe('the audit annotation', () => {
  it('has one name for each of the two invocations of a request', () => {
    const first = invoke(appPod());
    expect(first.audit).toEqual({ 'outcome-0': 'injected' });
    expect(invoke(withLate(first.pod, {})).audit).toEqual({ 'outcome-1': 'already_injected' });
  });

  it('is also written for each invocation when the pod is not injected', () => {
    const first = invoke(appPod({ spec: { hostNetwork: true } }));
    expect(first.audit).toEqual({ 'outcome-0': 'not_injected' });
    expect(invoke(first.pod).audit).toEqual({ 'outcome-1': 'not_injected' });
  });

  it('of a refusal after an injection is beside the first one', () => {
    const first = invoke(appPod());
    const late = { ports: [{ containerPort: 15_400 }] };
    expect(invoke(withLate(first.pod, late)).audit).toEqual({ 'outcome-last': 'refused' });
  });

  it('never has one name with two values, whatever another webhook changes in between', () => {
    const seed = Date.now() % 2 ** 31;
    const random = new Random(seed);
    const stale = { 'model-gateway.io/not-injected': 'hostNetwork: x' };
    const beginnings: readonly TestPod[] = [
      appPod(),
      appPod({ annotations: stale }),
      appPod({ spec: { hostNetwork: true } }),
      appPod({ annotations: stale, spec: { hostNetwork: true } }),
      appPod({ annotations: { 'model-gateway.io/inject': 'perhaps' } }),
      injected(appPod()),
    ];
    const changes: readonly ((pod: TestPod) => TestPod)[] = [
      (pod) => pod,
      (pod) => withLate(pod, {}),
      (pod) => withLate(pod, { ports: [{ containerPort: 15_400 }] }),
      (pod) => withSpec(pod, { hostNetwork: random.chance(0.5) }),
    ];
    for (let round = 0; round < roundsOf(500); round++) {
      const first = invoke(random.pick(beginnings));
      if (!first.allowed) continue;
      const second = invoke(random.pick(changes)(first.pod));
      const names = Object.keys(first.audit).filter((name) => Object.hasOwn(second.audit, name));
      for (const name of names)
        expect(Reflect.get(second.audit, name), `seed ${seed}, round ${round}`).toBe(Reflect.get(first.audit, name));
    }
  });
});
