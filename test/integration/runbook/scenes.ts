// One outage for each section of the runbook, planted in a running gateway, and the text that its commands must print.
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import { startForwarder } from '../../support/black-hole.ts';
import type { TestGateway, TestOrganization } from '../../support/gateway.ts';
import type { Gatewayctl } from '../../support/gatewayctl.ts';
import type { MovableClock } from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import type { ExpectedEvidence, Shell } from '../../support/runbook.ts';

export interface World {
  readonly gateway: TestGateway;
  /** An organization for this scene alone, with its owner and its key. */
  readonly organization: TestOrganization;
  readonly owner: Gatewayctl;
  readonly platform: Gatewayctl;
  readonly shell: Shell;
  /** A key of the organization, without limits. */
  readonly key: { readonly id: string; readonly value: string };
  readonly clock: MovableClock;
  /** Stores a delivery that its webhook has not accepted for days. */
  notify(webhookId: string, organizationId: string): Promise<void>;
  /** Records usage of the organization in the ledger. */
  record(usage: Partial<UsageEventRow>): Promise<unknown>;
  /** Sends a chat request. @returns its status */
  ask(sent?: RequestTarget): Promise<number>;
  /** Lines that were logged since the outage was planted. */
  lines(): readonly string[];
  /** Waits for one of those lines. */
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

/** The text that a command must print; undefined if the command is a cluster's and is not run here. */
export type Finding = RegExp | undefined;

export interface Scene {
  /** @returns a function that ends the outage */
  // biome-ignore lint/suspicious/noConfusingVoidType: most outages end with their proxy
  plant(world: World): Promise<(() => Promise<unknown>) | void>;
  /** The operator who runs the commands. Default: an owner. */
  readonly as?: 'platform';
  readonly found?: ExpectedEvidence;
  /** In the order of the section's commands. */
  readonly finds: readonly Finding[];
  /** Its commands only read, and may be run again: on a busy machine a line may not be there yet. */
  readonly looksOnly?: true;
  /** Checks the state after the runbook was followed. */
  after?(world: World): Promise<void>;
}

/**
 * A proxy that knows the key and then loses its control plane. @param met the request with which it looks the key up
 */
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
