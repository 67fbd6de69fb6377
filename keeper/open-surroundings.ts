// Follows the objects on which the webhook configuration depends: the configuration itself, so that a new one is
// completed at once; the namespace and the Deployment, which it must not outlive; the PodTemplate with the sidecar's
// image.
import type { PeriodicTask } from '../common/periodic-task.ts';
import { type Followed, follow } from './api/follow.ts';
import { isLasting, oneObject, paths } from './api/sources.ts';
import type { Hand } from './hand.ts';
import { imageIn, podTemplateName } from './image.ts';
import type { Shared } from './shared.ts';
import { startTask } from './shared.ts';
import { injectorService, webhookName } from './webhook.ts';
import type { Surroundings } from './webhook-plan.ts';

export interface OpenSurroundings {
  current(): Pick<Surroundings, 'namespace' | 'deployment'>;
  /** Undefined: ready; otherwise the reason. */
  notReady(): string | undefined;
  /** Resolves with the reason if the image is the placeholder when it is first read; otherwise never. */
  readonly refused: Promise<string>;
  /** Reads the Deployment again, independently of the watches: deleting the webhooks depends on it. */
  lookOnceMore(): Promise<void>;
}

export interface SurroundingsOptions {
  readonly hand: Hand;
  /** Called when the webhook configuration may need a change. */
  onChange(): void;
}

const imageEveryMs = 60_000;

export function openSurroundings(shared: Shared, { hand, onChange }: SurroundingsOptions): OpenSurroundings {
  const { settings, client, lifecycle, log } = shared;
  const { namespace } = settings;
  const followed = (what: string, path: string, changed: () => void): Followed => {
    const one = follow(oneObject(what, path), { ...shared, onChange: changed });
    lifecycle.onClose(what, () => one.close());
    return one;
  };
  followed('the webhook configuration', paths.webhook(webhookName), onChange);
  const ownNamespace = followed('the namespace', paths.namespace(namespace), onChange);
  const deploymentPath = paths.deployment(namespace, injectorService);
  const deployment = watchDeployment(
    followed('the Deployment', deploymentPath, () => {
      deployment.look();
      onChange();
    }),
  );
  const image = openImage(shared, hand);
  return {
    current: () => ({ namespace: ownNamespace.object, deployment: deployment.state() }),
    notReady: () => image.notReady(),
    refused: image.refused,
    lookOnceMore: async () => {
      const { objects } = await oneObject('the Deployment', deploymentPath).read(client);
      deployment.looked(objects[0] !== undefined && isLasting(objects[0]));
      log.debug({ deployment: deployment.state() }, 'looked once more');
    },
  };
}

/** `going` requires that the Deployment existed before: one of another name does not concern this keeper. */
function watchDeployment(followed: Followed) {
  let wasThere = false;
  let isThere: boolean | undefined;
  const looked = (there: boolean) => {
    isThere = there;
    wasThere ||= there;
  };
  return {
    looked,
    look: () => {
      const { object } = followed;
      if (followed.objects !== undefined) looked(object !== undefined && isLasting(object));
    },
    state: (): Surroundings['deployment'] => {
      if (isThere === undefined || !wasThere) return 'unknown';
      return isThere ? 'there' : 'going';
    },
  };
}

function openImage(shared: Shared, hand: Hand) {
  const { settings, lifecycle, log, timers, metrics } = shared;
  const { promise: refused, resolve: refuse } = Promise.withResolvers<string>();
  let handed: string | undefined;
  let problem: string | undefined = 'the PodTemplate with the sidecar’s image has not been read yet';
  let task: PeriodicTask | undefined;
  const path = paths.podTemplate(settings.namespace, podTemplateName);
  const template = follow(oneObject('the PodTemplate', path), { ...shared, onChange: () => task?.wake() });
  const look = async () => {
    if (template.objects === undefined) return;
    const found = imageIn(template.object);
    if (found.kind === 'image') {
      await hand.over('image', `${found.image}\n`);
      if (handed !== found.image) log.info({ image: found.image }, 'the sidecar’s image was handed over');
      handed = found.image;
      problem = undefined;
      return;
    }
    problem = handed === undefined ? found.problem : undefined;
    if (handed === undefined && found.kind === 'placeholder') {
      // Handed over too, so that the injector can name it in its error.
      await hand.over('image', `${found.image}\n`);
      refuse(found.problem);
    }
    throw new Error(handed === undefined ? found.problem : `${found.problem}; ${handed} stays`);
  };
  task = startTask({ task: 'image', everyMs: imageEveryMs, run: look }, { log, timers, metrics });
  lifecycle.onClose('the PodTemplate', async () => {
    template.close();
    await task?.close();
  });
  return { refused, notReady: () => problem };
}
