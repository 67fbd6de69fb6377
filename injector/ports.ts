// Chooses the sidecar's ports. The two defaults are not known to be used by any application; if a container declares
// one, the sidecar moves to a port between them. A port that the pod's author chose is never moved.
import { type Container, PodError } from './pod.ts';
import { shown } from './shown.ts';

/** Outside Istio's 15000 to 15090 and Linkerd's 4140 to 4191. */
const defaultPorts = { port: 15_400, adminPort: 15_490 } as const;
const blockFirst = 15_401;
const blockLast = 15_489;

/** The sidecar's settings for its ports. */
export const listenNames = { port: 'GATEWAY_LISTEN', adminPort: 'GATEWAY_ADMIN_LISTEN' } as const;

type PortName = keyof typeof defaultPorts;
const portNames: readonly PortName[] = ['port', 'adminPort'];

export type Ports = Readonly<Record<PortName, number>>;

export interface PortChoice extends Ports {
  /** Ports that are not the default, because a container has that port. */
  readonly moved: readonly MovedPort[];
}

export interface MovedPort {
  readonly name: PortName;
  readonly from: number;
  readonly to: number;
  /** The container with that port; undefined: the author chose it for the sidecar's other port. */
  readonly container: string | undefined;
}

export interface PortWishes {
  /** Undefined: the author chose none. */
  readonly ports: Readonly<Record<PortName, number | undefined>>;
  /** The annotation for each port, for messages. */
  readonly annotations: Readonly<Record<PortName, string>>;
}

/**
 * @throws PodError if the author chose a port that a container declares, chose the same port twice, or the whole block
 *   is declared
 */
export function choosePorts(containers: readonly Container[], wishes: PortWishes): PortChoice {
  const { ports: wished, annotations } = wishes;
  const holders = holdersOf(containers);
  const { port, adminPort } = wished;
  if (port !== undefined && port === adminPort) {
    throw new PodError(`${annotations.port} and ${annotations.adminPort}: both are ${port}`);
  }
  refuseSharedPorts(containers, wishes);
  const taken = new Set([...holders.keys(), ...Object.values(wished).filter((port) => port !== undefined)]);
  const ports: Record<PortName, number> = { ...defaultPorts };
  const moved: MovedPort[] = [];
  for (const name of portNames) {
    const from = defaultPorts[name];
    ports[name] = wished[name] ?? (taken.has(from) ? firstFree(taken) : from);
    taken.add(ports[name]);
    if (wished[name] === undefined && ports[name] !== from)
      moved.push({ name, from, to: ports[name], container: holders.get(from) });
  }
  return { ...ports, moved };
}

/** The first container that declares each port. */
function holdersOf(containers: readonly Container[]): ReadonlyMap<number, string> {
  const declared = containers.flatMap(({ name, ports }) => ports.map((port) => [port, name] as const));
  return new Map(declared.toReversed());
}

/** @throws PodError if a container declares one of these ports */
export function refuseSharedPorts(containers: readonly Container[], { ports, annotations }: PortWishes): void {
  const holders = holdersOf(containers);
  for (const name of portNames) {
    const port = ports[name];
    const holder = port === undefined ? undefined : holders.get(port);
    if (holder === undefined) continue;
    throw new PodError(
      `container ${shown(holder)} has the port ${port}, as the sidecar; the annotation ${annotations[name]} moves the sidecar’s`,
    );
  }
}

/** The ports of an existing sidecar, which any version of the injector may have added. */
export function sidecarPorts(sidecar: Container | undefined): Ports {
  const portIn = (name: string) => Number(/:(\d{1,5})$/.exec(sidecar?.env.get(name) ?? '')?.[1]);
  return {
    port: portIn(listenNames.port) || defaultPorts.port,
    adminPort: portIn(listenNames.adminPort) || defaultPorts.adminPort,
  };
}

function firstFree(taken: ReadonlySet<number>): number {
  for (let port = blockFirst; port <= blockLast; port++) if (!taken.has(port)) return port;
  throw new PodError(`the pod declares every port from ${blockFirst} to ${blockLast}: none is left for the sidecar`);
}
