// An outage of each kind that the runbook speaks of, planted in a running gateway, and what its commands have to find.
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import { startForwarder } from '../../support/black-hole.ts';
import type { TestGateway, TestOrganization } from '../../support/gateway.ts';
import type { Gatewayctl } from '../../support/gatewayctl.ts';
import type { MovableClock } from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import type { Found, Shell } from '../../support/runbook.ts';

export interface World {
  readonly gateway: TestGateway;
  /** Of this scene alone, as its owner and its key. */
  readonly organization: TestOrganization;
  readonly owner: Gatewayctl;
  readonly platform: Gatewayctl;
  readonly shell: Shell;
  /** A key of the organization, without limits. */
  readonly key: { readonly id: string; readonly value: string };
  readonly clock: MovableClock;
  /** Puts down a delivery whose webhook has not taken it for days. */
  notify(webhookId: string, organizationId: string): Promise<void>;
  /** Puts usage of the organization into the books. */
  record(usage: Partial<UsageEventRow>): Promise<unknown>;
  /** A chat request. @returns its status */
  ask(sent?: RequestTarget): Promise<number>;
  /** What was logged since the outage was planted. */
  lines(): readonly string[];
  /** Waits for a line of those. */
  logged(pattern: RegExp): Promise<unknown>;
}

export interface RequestTarget {
  readonly url?: string;
  /** Default: POST. */
  readonly method?: 'GET';
  readonly path?: string;
  readonly value?: string;
  readonly fields?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a command has to print; undefined: it is of a cluster, and not run here. */
export type Finding = RegExp | undefined;

export interface Scene {
  /** @returns what ends the outage */
  // biome-ignore lint/suspicious/noConfusingVoidType: most outages end with their proxy
  plant(world: World): Promise<(() => Promise<unknown>) | void>;
  /** Whose command line it is. Default: an owner's. */
  readonly as?: 'platform';
  readonly found?: Found;
  /** In the order of the section's commands. */
  readonly finds: readonly Finding[];
  /** Its commands only look, and may be run again: on a busy machine something may not be there yet. */
  readonly looksOnly?: true;
  /** What it is afterwards, by who followed the runbook. */
  after?(world: World): Promise<void>;
}

/** A proxy that has met the key, and then hears of its control plane no more. @param met by what */
export async function cutOff({ gateway, ask }: World, met: RequestTarget = {}) {
  const network = await startForwarder({ port: gateway.controlPlane.grpcPort });
  const { url } = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${network.port}` });
  await until(async () => (await ask({ url, ...met })) === 200, { timeoutMs: 20_000 });
  await network.cut();
  const heal = async () => {
    await network.heal();
    await network.stop();
  };
  return { url, heal };
}
