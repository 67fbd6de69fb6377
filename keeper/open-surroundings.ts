// What stands around the webhook configuration, followed: the configuration itself (so that a new one is mended at once), the
// namespace and the Deployment that it must not outlive, and the PodTemplate with the sidecar's image.
import type { Rounds } from '../common/periodic-task.ts';
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
  /** Undefined = ready; else why not. */
  notReady(): string | undefined;
  /** Resolves with the reason where the image is the placeholder when it is first read; else never. */
  readonly refused: Promise<string>;
  /** Reads what decides about deleting the webhooks, whatever watches have brought. */
  lookOnceMore(): Promise<void>;
}

export interface SurroundingsOptions {
  readonly hand: Hand;
  /** Something about the webhook configuration may be due. */
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

/** Going is only what was there: a Deployment under another name is none of this keeper's business. */
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
  let task: Rounds | undefined;
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
      // The injector names it too, and not only that nothing came.
      await hand.over('image', `${found.image}\n`);
      refuse(found.problem);
    }
    throw new Error(handed === undefined ? found.problem : `${found.problem}; ${handed} stays`);
  };
  task = startTask({ task: 'image', everyMs: imageEveryMs, round: look }, { log, timers, metrics });
  lifecycle.onClose('the PodTemplate', async () => {
    template.close();
    await task?.close();
  });
  return { refused, notReady: () => problem };
}
