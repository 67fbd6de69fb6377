// Plays one attack: measures the work of a neighbour while all is quiet, and while tenants are hostile, in the same
// minute on the same machine.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { until } from '../support/process.ts';
import type { Attack, HostileTenant } from './attack.ts';
import type { AttackerData, Outcomes } from './attacker.ts';
import { type AttackName, attacks } from './attacks.ts';
import type { LoopTimes } from './loop-watch.ts';
import { type Figures, type Neighbour, workFor } from './neighbour.ts';
import { shareOf } from './resources.ts';
import { loopTimes, type Plane, refusals, type Tenant, used, type World } from './world.ts';

export interface Played {
  readonly attack: AttackName;
  readonly hostile: number;
  readonly quiet: Figures;
  readonly during: Figures;
  /** The number of calls of hostile tenants, by outcome. */
  readonly outcomes: Outcomes;
  /** Refusals of the resource since the attack began. */
  readonly refused: number;
  /** The highest share of the resource that was in use at a check: 0 to 1. */
  readonly used: number;
  /** Whether the resource was found exhausted. */
  readonly isSeen: boolean;
  readonly loops: { readonly proxy: LoopTimes; readonly controlPlane: LoopTimes };
}

export interface PlayOptions {
  readonly hostile: number;
  readonly quietMs: number;
  /** The longest time for the attack to reach its bound; the neighbour is measured from then on. */
  readonly leadMsMax: number;
  readonly duringMs: number;
}

export async function play(neighbour: Neighbour, name: AttackName, options: PlayOptions): Promise<Played> {
  const { world } = neighbour;
  const attack: Attack = attacks[name];
  const tenants = await Promise.all(Array.from({ length: options.hostile }, () => world.createTenant('hostile')));
  const hostile: HostileTenant[] = [];
  for (const tenant of tenants) hostile.push(await ready(attack, tenant));
  const quiet = await workFor(neighbour, attack.neighbour, options.quietMs);
  const share = watchShare(world, attack);
  const before = await share.refused();
  await Promise.all([loopTimes(world.proxy), loopTimes(world.controlPlane)]);
  const attacker = startAttacker({
    name,
    ports: { proxy: world.proxy.port, controlPlane: world.controlPlane.httpPort },
    tenants: hostile,
  });
  try {
    await attacker.begun;
    const isAtBound = async () =>
      attack.seen === 'used' ? (await share.used()) > 0 : (await share.refused()) !== before;
    let isSeen = true;
    await until(isAtBound, { timeoutMs: options.leadMsMax }).catch(() => {
      isSeen = false;
    });
    const looking = share.look();
    const during = await workFor(neighbour, attack.neighbour, options.duringMs);
    const [most, refused] = [await looking(), await share.refused()];
    const [proxy, controlPlane] = await Promise.all([loopTimes(world.proxy), loopTimes(world.controlPlane)]);
    const outcomes = await attacker.stop();
    return {
      ...{ attack: name, hostile: options.hostile, quiet, during, outcomes, isSeen },
      ...{ used: most, refused: refused - before },
      loops: { proxy, controlPlane },
    };
  } finally {
    await attacker.end();
  }
}

async function ready(attack: Attack, tenant: Tenant): Promise<HostileTenant> {
  const { address, key, organization } = tenant;
  const { id: organizationId, ownerToken } = organization;
  return { key, address, organizationId, ownerToken, prepared: (await attack.prepare?.(tenant)) ?? {} };
}

/** The interval between two reads of a plane's metrics. */
const lookEveryMs = 250;

function watchShare(world: World, { resource }: Attack) {
  const share = shareOf(resource);
  const plane: Plane = world[share.plane];
  return {
    refused: () => refusals(plane, share.name),
    used: () => used(plane, share.name),
    /** @returns a function that stops the checks and returns the highest use */
    look: () => {
      let isOver = false;
      let most = 0;
      const looking = (async () => {
        while (!isOver) {
          most = Math.max(most, await used(plane, share.name));
          await sleep(lookEveryMs);
        }
      })();
      return async () => {
        isOver = true;
        await looking;
        return most;
      };
    },
  };
}

function startAttacker(data: AttackerData) {
  const worker = new Worker(join(import.meta.dirname, 'attacker.ts'), { workerData: data });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined);
  const nextMessage = <T>() => Promise.race([new Promise<T>((resolve) => worker.once('message', resolve)), failed]);
  return {
    /** Resolves when its first calls are sent. */
    begun: nextMessage<'begun'>(),
    stop: async (): Promise<Outcomes> => {
      const reported = nextMessage<Outcomes>();
      worker.postMessage('stop');
      return reported;
    },
    end: async () => void (await worker.terminate()),
  };
}

/** Returns the broken promises. @param timeFactor multiplies the bound for times */
export function faults({ during, isSeen, outcomes, quiet }: Played, timeFactor = 1): readonly string[] {
  const found: string[] = [];
  if (during.succeeded / during.requested < 0.999)
    found.push(`${during.succeeded} of ${during.requested} succeeded: ${JSON.stringify(during.failures)}`);
  const boundMs = timeFactor * (2 * quiet.p99Ms + 10);
  if (during.p99Ms > boundMs) found.push(`p99 ${during.p99Ms.toFixed(1)} ms, above ${boundMs.toFixed(1)} ms`);
  if (!isSeen) found.push(`the bound was not reached: ${JSON.stringify(outcomes)}`);
  const defect = Object.keys(outcomes).find((outcome) => outcome.startsWith('defect'));
  if (defect !== undefined) found.push(defect);
  return found;
}

export function lineOf(played: Played): string {
  const { attack, during, hostile, loops, outcomes, quiet, refused } = played;
  const loop = loops.proxy.tickMs.toFixed(1);
  return [
    `${attack} by ${hostile}: ${during.succeeded} of ${during.requested}`,
    `p50 ${quiet.p50Ms.toFixed(1)} → ${during.p50Ms.toFixed(1)}, p99 ${quiet.p99Ms.toFixed(1)} → ${during.p99Ms.toFixed(1)} ms`,
    `refused ${refused}, used ${played.used.toFixed(2)}`,
    `longest tick ${loop} ms at the proxy, ${loops.controlPlane.tickMs.toFixed(1)} at the control plane`,
    JSON.stringify(outcomes),
  ].join('; ');
}
