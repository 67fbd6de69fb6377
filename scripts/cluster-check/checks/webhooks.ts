// The webhook configuration during an outage and afterwards: after a deletion and a new apply, the keeper completes it.
import {
  type Check,
  createNamespace,
  createPodAt,
  eventually,
  must,
  mustMatch,
  optedIn,
  sidecarIn,
  untilInjected,
} from '../check.ts';
import { apply, webhookObjects } from '../manifests.ts';
import { configurationOf } from './install.ts';

const remove = ['delete', 'mutatingwebhookconfiguration', 'model-gateway-injector'];

export const webhookChecks: readonly Check[] = [
  {
    name: 'deleted, pods start without sidecars; applied again, pods get them within 5 s, without any other action',
    run: async ({ control }) => {
      createNamespace(control, 'outage', { labels: optedIn });
      await untilInjected(control, { namespace: 'outage' });
      const tookMs: number[] = [];
      for (let round = 0; round < 5; round++) {
        control.kubectl(remove);
        await eventually(() => {
          must(!sidecarIn(createPodAt(control, { namespace: 'outage' }).pod), 'still a sidecar without webhooks');
        });
        apply(control, webhookObjects());
        const applied = performance.now();
        await untilInjected(control, { namespace: 'outage' }, 10_000);
        tookMs.push(performance.now() - applied);
      }
      const worst = Math.max(...tookMs);
      must(worst < 5_000, `the first pod after the apply took ${Math.round(worst)} ms`);
      return `first pod with a sidecar at most ${Math.round(worst)} ms after the apply, in ${tookMs.length} rounds`;
    },
  },
  {
    name: 'an authority that is overwritten or removed is restored, and fields that a keeper cannot know stay',
    run: async ({ control }) => {
      const before = configurationOf(control);
      const patch = (operations: object[]) =>
        control.kubectl([
          'patch',
          'mutatingwebhookconfiguration',
          'model-gateway-injector',
          '--type=json',
          '-p',
          JSON.stringify(operations),
        ]);
      patch([
        {
          op: 'replace',
          path: '/webhooks/0/clientConfig/caBundle',
          value: before.webhooks[0]?.clientConfig.caBundle?.replace(
            /^.{40}/,
            'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1J',
          ),
        },
      ]);
      patch([
        { op: 'remove', path: '/webhooks/1/clientConfig/caBundle' },
        { op: 'add', path: '/webhooks/2/failurePolicy', value: 'Ignore' },
      ]);
      await eventually(() => {
        const now = configurationOf(control).webhooks.map(({ clientConfig }) => clientConfig.caBundle);
        must(
          now.every((bundle) => bundle === before.webhooks[0]?.clientConfig.caBundle),
          'not put back',
        );
      }, 6_000);
      mustMatch(JSON.stringify(configurationOf(control)), /"failurePolicy":"Ignore"/, 'the operator’s own change');
      apply(control, webhookObjects(), ['--force-conflicts']);
      return undefined;
    },
  },
  {
    name: 'the keepers continue after the API server was away and came back',
    run: async ({ control }) => {
      await control.restartApi();
      control.kubectl(remove);
      apply(control, webhookObjects());
      const applied = performance.now();
      await untilInjected(control, { namespace: 'outage' }, 10_000);
      const tookMs = performance.now() - applied;
      must(tookMs < 10_000, `the first pod took ${Math.round(tookMs)} ms`);
      return `first pod with a sidecar ${Math.round(tookMs)} ms after the apply`;
    },
  },
  {
    name: 'applying the manifests again changes neither authority nor owner',
    run: async ({ control }) => {
      const before = configurationOf(control);
      apply(control, webhookObjects(), ['--force-conflicts']);
      const after = configurationOf(control);
      must(
        after.webhooks.every(({ clientConfig }) => clientConfig.caBundle),
        'an authority is gone',
      );
      must(
        JSON.stringify(after.metadata.ownerReferences) === JSON.stringify(before.metadata.ownerReferences),
        'the owner',
      );
      return undefined;
    },
  },
];
