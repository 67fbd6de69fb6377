// Records the API server's reviews of pods for npm test. These pods were added after the first recordings were made.
import { join } from 'node:path';
import { projectRoot } from '../../../test/support/process.ts';
import { type Check, createLimitRange, createNamespace, createPodAt, eventually, must, optedIn } from '../check.ts';
import { startOtherWebhook } from '../other-webhook.ts';

const folder = join(projectRoot, 'test/integration/injector/reviews');
const namespace = 'recorded';

/** Pods by the name of their recording. */
const pods: Readonly<Record<string, object>> = {
  'declares-8080': { ports: [{ containerPort: 8080 }, { containerPort: 9090 }] },
  'declares-15400': { ports: [{ containerPort: 15_400 }] },
  guaranteed: { resources: { limits: { cpu: '1', memory: '1Gi' } } },
  'limit-range-defaults': {},
};

export const reviewChecks: readonly Check[] = [
  {
    name: 'reviews of the API server are recorded',
    run: async ({ control }) => {
      const limits = [
        {
          type: 'Container',
          default: { cpu: '400m', memory: '300Mi' },
          defaultRequest: { cpu: '200m', memory: '200Mi' },
        },
      ];
      createNamespace(control, namespace, { labels: optedIn });
      const start = (name: string, script: string, ...args: string[]) =>
        startOtherWebhook(control, { name, namespace, script, args });
      const recorder = await start('aa-recorder', 'record-reviews', folder);
      const later = await start('zz-later', 'later-webhook');
      try {
        for (const [recording, container] of Object.entries(pods)) {
          if (recording === 'limit-range-defaults') createLimitRange(control, namespace, limits);
          await eventually(() => {
            const { pod, refusal } = createPodAt(control, {
              namespace,
              labels: { recording },
              container,
              isStored: true,
            });
            must(
              pod?.spec.containers.some(({ name }) => name === 'late'),
              refusal ?? 'the later webhook was not called',
            );
          });
        }
      } finally {
        await recorder.close();
        await later.close();
      }
      return Object.keys(pods).join(', ');
    },
  },
];
