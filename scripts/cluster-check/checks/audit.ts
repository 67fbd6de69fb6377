// Reinvocation: a later webhook changes pods, so the API server calls the gateway's webhook again. Checks the audit log
// and the API server's own log.
import { type Check, createNamespace, createPodAt, eventually, must, mustEqual, optedIn, sidecarIn } from '../check.ts';
import type { Control } from '../control.ts';
import { startOtherWebhook } from '../other-webhook.ts';

export const auditChecks: readonly Check[] = [
  {
    name: 'a webhook after ours adds a container: it gets its environment, and no audit annotation is written twice',
    run: async ({ control }) => {
      // Its name sorts after the gateway's webhook.
      const later = await startOtherWebhook(control, {
        name: 'zz-later',
        script: 'later-webhook',
        namespace: 'audited',
      });
      try {
        createNamespace(control, 'audited', { labels: optedIn });
        const created = await eventually(() => {
          const one = createPodAt(control, { namespace: 'audited', isStored: true });
          must(
            one.pod?.spec.containers.some(({ name }) => name === 'late'),
            `${one.refusal ?? 'the later webhook was not called'}`,
          );
          must(sidecarIn(one.pod), 'no sidecar');
          return one;
        });
        const late = created.pod?.spec.containers.find(({ name }) => name === 'late');
        must(
          late?.env?.some(({ name }) => name === 'OPENAI_BASE_URL'),
          'the late container knows no sidecar',
        );
        createPodAt(control, { namespace: 'audited', spec: { hostNetwork: true }, isStored: true });
        const seen = await eventually(() => annotationsIn(control, 'audited'));
        mustEqual(seen.injected, { 'outcome-0': 'injected', 'outcome-1': 'already_injected' }, 'of an injected pod');
        mustEqual(seen.notInjected, { 'outcome-0': 'not_injected', 'outcome-1': 'not_injected' }, 'of one that is not');
        const complaints = control
          .apiLog()
          .split('\n')
          .filter((line) => /audit annotation/.test(line));
        mustEqual(complaints, [], 'the API server complains');
        return JSON.stringify(seen.injected);
      } finally {
        await later.close();
      }
    },
  },
];

/** Annotations of the two pods, by the names that the gateway's webhook gave them. */
function annotationsIn(control: Control, namespace: string) {
  const ours = 'namespaces.injector.model-gateway.io/';
  const found = control
    .audit()
    .filter(({ objectRef, verb }) => verb === 'create' && objectRef?.namespace === namespace)
    .map(({ annotations = {} }) =>
      Object.fromEntries(
        Object.entries(annotations)
          .filter(([name]) => name.startsWith(ours))
          .map(([name, value]) => [name.slice(ours.length), value]),
      ),
    );
  const injected = found.find((one) => one['outcome-1'] === 'already_injected');
  const notInjected = found.find((one) => one['outcome-0'] === 'not_injected');
  must(injected && notInjected, `the audit log has ${JSON.stringify(found)}`);
  return { injected, notInjected };
}
