// Source of servers for tests when none is given: Docker through testcontainers if an engine responds, else local
// binaries.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from './process.ts';

export type ServerSource = 'docker' | 'local';

export const redisImage = 'redis:7-alpine';
export const postgresImage = 'postgres:17-alpine';

/**
 * Looks for a container engine that can run what the tests need. Importing testcontainers costs 0.7 s, so call it once
 * in a run.
 */
export async function findServerSource(): Promise<ServerSource> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch {
    return 'local'; // no engine responds
  }
  try {
    const port = await freePort();
    const trial = await startContainer({
      image: redisImage,
      command: ['--port', String(port)],
      ports: [port],
    });
    await trial.stop();
    return 'docker';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`Docker responds but does not run ${redisImage} (${reason}); using local programs`);
    return 'local';
  }
}

export interface ContainerOptions {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment?: Record<string, string>;
  /** The same numbers inside the container and on the host. */
  readonly ports: readonly number[];
}

export interface Container {
  /** It stays, with its files, and can be started again. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a container; its engine's reaper ends it if this process dies. */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const started = await new GenericContainer(options.image)
    .withExposedPorts(...options.ports.map((port) => ({ container: port, host: port })))
    .withEnvironment(options.environment ?? {})
    .withCommand([...options.command])
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const { container: engine } = await getContainerRuntimeClient();
  const container = engine.getById(started.getId());
  return {
    kill: () => container.kill({ signal: 'SIGKILL' }),
    restart: () => engine.start(container),
    stop: async () => {
      await started.stop({ timeout: 0 });
    },
  };
}

/** The path of a program in one of the directories or on PATH. */
export function findProgram(name: string, directories: readonly string[] = []): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter);
  return [...directories, ...onPath].map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
