// Opens the console with its upkeep, from the settings of the control plane.
import type { ReadTxt } from '../../common/dns-txt.ts';
import { hourMs } from '../../common/durations.ts';
import type { Lifecycle } from '../../common/lifecycle.ts';
import type { Logger } from '../../common/logger.ts';
import { startPeriodicTask } from '../../common/periodic-task.ts';
import { systemTimers } from '../../common/timers.ts';
import { checkDomains } from '../auth/domain-proof.ts';
import type { EndpointDeps } from '../auth/endpoints.ts';
import type { Oidc } from '../auth/oidc.ts';
import type { IssuerNetwork } from '../auth/outgoing.ts';
import { deleteEndedSessions } from '../auth/sessions.ts';
import type { AuthenticationDeps } from '../rpc/authentication.ts';
import { type Console, createConsole } from './console.ts';
import { consoleFolder } from './files.ts';

export interface ConsoleOptions {
  readonly console: 'on' | 'off';
  readonly consolePath: string;
  readonly consoleUrl: URL | undefined;
  readonly playgroundUrl: string | undefined;
  readonly consoleIdle: number;
  readonly consoleSessionMax: number;
  readonly tlsCertFile: string | undefined;
}

interface OpenConsoleDeps extends Omit<EndpointDeps, 'times' | 'oidc'> {
  readonly services: AuthenticationDeps & { readonly readTxt: ReadTxt };
  readonly log: Logger;
  /** In place of the console that is built beside the program. */
  readonly folder: string | undefined;
  readonly network: IssuerNetwork;
}

/** @returns undefined if the settings turn it off */
export function openConsole(
  settings: ConsoleOptions,
  { log, folder, network, ...deps }: OpenConsoleDeps,
  lifecycle: Lifecycle,
): Console | undefined {
  if (settings.console === 'off') return undefined;
  const { store } = deps;
  const upkeep = startPeriodicTask(() => store.ledger(deleteEndedSessions), {
    ...{ what: 'upkeep of sessions', everyMs: hourMs, log, timers: systemTimers },
  });
  lifecycle.onClose('upkeep of sessions', () => upkeep.close());
  const { readTxt } = deps.services;
  const domains = startPeriodicTask(() => checkDomains({ store, readTxt }), {
    ...{ what: 'checks of e-mail domains', everyMs: hourMs, log, timers: systemTimers },
  });
  lifecycle.onClose('checks of e-mail domains', () => domains.close());
  const { consolePath: path, consoleUrl: publicUrl, consoleIdle: idleMs, consoleSessionMax: maxMs } = settings;
  const overTls = settings.tlsCertFile !== undefined;
  const { masterKeys, clock } = deps;
  let opened: Promise<Oidc> | undefined;
  // A control plane without issuers needs neither the library nor its memory.
  const oidc = () => {
    opened ??= import('../auth/oidc.ts').then(({ Oidc }) => new Oidc({ network, masterKeys, now: () => clock.now() }));
    return opened;
  };
  return createConsole({
    ...deps,
    oidc,
    times: { idleMs, maxMs },
    site: { publicUrl, path, overTls, playground: settings.playgroundUrl },
    folder: () => folder ?? consoleFolder(),
  });
}

/** The console's address for a browser on this machine; undefined if the console is off. */
export function consoleOnMachine(settings: ConsoleOptions, port: number): string | undefined {
  const { console, consolePath, tlsCertFile } = settings;
  if (console === 'off') return undefined;
  return `${tlsCertFile === undefined ? 'http' : 'https'}://127.0.0.1:${port}${consolePath}`;
}
