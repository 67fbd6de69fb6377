// The demo without a cluster, from its manifests and scripts: the environment of its pods, the Secrets that secrets.sh
// and plain.sh print, and first-key.sh with a kubectl that runs gatewayctl here. Certificates and names work as in a
// cluster: the control plane recognizes the egress gateway by its certificate, and sidecars connect with theirs.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ISecret, Secret } from 'kubernetes-models/v1/Secret';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startControlPlane } from '../../control-plane/app.ts';
import { readControlPlaneSettings } from '../../control-plane/settings.ts';
import { startProxy } from '../../proxy/app.ts';
import { readProxySettings } from '../../proxy/settings.ts';
import { startSimulator } from '../../simulator/index.ts';
import { chatBody, chatRequest } from '../support/gateway.ts';
import {
  deploymentNamed,
  firstContainerOf,
  nameOf,
  type OfKind,
  objectsOf,
  ofKind,
  parseObjects,
  podOf,
} from '../support/manifests/objects.ts';
import { projectRoot } from '../support/process.ts';
import { silentLog } from '../support/silent-log.ts';
import { askTestServers } from '../support/test-servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-demo-'));
const at = (...names: string[]) => join(folder, ...names);
const deploy = join(projectRoot, 'deploy');
const objects = objectsOf('demo');
const closers: (() => Promise<void>)[] = [];

let programs: string;
/** The program as in its image; it starts in a third of the time that its sources need. */
const bundleOf = (program: string) => join(programs, program, 'bin/main.mjs');
let secrets: OfKind<ISecret>[];
let proxy: Awaited<ReturnType<typeof startProxy>>;
let virtualKey: string;

beforeAll(async () => {
  programs = await askTestServers('programs');
  const [plain, demo] = [join(deploy, 'certificates/plain.sh'), join(deploy, 'overlays/demo/secrets.sh')];
  const certificates = ['gateway', 'tenant team-a'].map((what) =>
    run('sh', [plain, at('authorities'), ...what.split(' ')]),
  );
  const made = run('sh', [demo], {
    CONTROL_PLANE: `${process.execPath} ${bundleOf('control-plane')}`,
  });
  secrets = ofKind(parseObjects(`${certificates.join('')}---\n${made}`), Secret.is);
  for (const secret of secrets) for (const key of keysOf(secret)) write(at(nameOf(secret), key), valueIn(secret, key));
  mkdirSync(at('data'));

  const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  closers.push(() => simulator.close());
  const controlPlane = await startControlPlane(
    readControlPlaneSettings(environmentOf('control-plane', `127.0.0.1:${simulator.port}`)),
    { log: silentLog },
  );
  closers.push(() => controlPlane.close());
  virtualKey = await firstKey(controlPlane.grpcPort);
  const { REDIS_URL_FILE, GATEWAY_CACHE_KEY_FILE, ...rest } = environmentOf(
    'egress-gateway',
    `127.0.0.1:${simulator.port}`,
  );
  const settings = readProxySettings({
    ...rest,
    GATEWAY_CONTROL_PLANE: `localhost:${controlPlane.grpcPort}`,
  });
  proxy = await startProxy({ ...settings, drainGrace: 0 }, { log: silentLog });
  closers.push(() => proxy.drain());
  // Eight commands start a process each.
});

afterAll(async () => {
  for (const close of closers.toReversed()) await close();
  rmSync(folder, { recursive: true });
});

test('the first key’s request gets a response of the simulator', async () => {
  expect(virtualKey).toMatch(/^sk-svc-/);
  const response = await fetch(`http://127.0.0.1:${proxy.port}/v1/chat/completions`, chatRequest(virtualKey));
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('chat.completion')]);
});

test('a sidecar connects with its certificate and trusts the gateway’s', async () => {
  expect(await askOverTls('model-gateway-sidecar-tls')).toBe(200);
});

test.each([
  ['without a certificate', undefined],
  ['with one of the proxies’ authority', 'egress-gateway-client-tls'],
  ['with a server’s', 'egress-gateway-tls'],
])('a client is refused %s', async (_who, secret) => {
  await expect(askOverTls(secret)).rejects.toThrow();
});

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } });
}

function keysOf({ data, stringData }: ISecret): string[] {
  return Object.keys({ ...data, ...stringData });
}

function valueIn({ data, stringData }: ISecret, key: string): string {
  return stringData?.[key] ?? Buffer.from(data?.[key] ?? '', 'base64').toString();
}

function write(file: string, content: string, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
}

/**
 * The environment of a pod, with files of its Secrets instead of mounts, free ports on loopback, and the address of the
 * test's simulator.
 */
function environmentOf(name: string, simulator: string): NodeJS.ProcessEnv {
  const deployment = deploymentNamed(objects, name);
  const { env = [], volumeMounts = [] } = firstContainerOf(deployment);
  const mounts = volumeMounts.flatMap(({ name: volumeName, mountPath }) => {
    const volume = podOf(deployment).volumes?.find((one) => one.name === volumeName);
    const secretName = volume?.secret?.secretName;
    return secretName === undefined ? [] : [[`${mountPath}/`, `${at(secretName)}/`] as const];
  });
  const here = (value: string) =>
    mounts
      .reduce((text, [path, real]) => text.replace(path, real), value)
      .replace('simulator.model-gateway.svc:8089', simulator)
      .replace(/^0\.0\.0\.0:\d+$/, '127.0.0.1:0');
  const pairs = env.map(({ name: setting, value, valueFrom }) => {
    const { name: secretName, key = '' } = valueFrom?.secretKeyRef ?? {};
    const secret = secrets.find((one) => nameOf(one) === secretName);
    return [setting, value === undefined && secret ? valueIn(secret, key) : here(value ?? '')];
  });
  const database = join('/', 'var/lib/model-gateway');
  const url = secrets.flatMap(({ stringData }) => stringData?.['database-url'] ?? []).join();
  write(at('control-plane/database-url'), url.replace(database, at('data')));
  return Object.fromEntries(pairs);
}

/** Runs first-key.sh unchanged, with a kubectl that serves it from here. */
async function firstKey(grpcPort: number): Promise<string> {
  const token = secrets.flatMap(({ stringData }) => stringData?.['bootstrap-token'] ?? []).join();
  write(at('bin/kubectl'), kubectl(grpcPort, Buffer.from(token).toString('base64')), 0o700);
  const path = [at('bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  // Not synchronous: the control plane that the script calls runs in this process.
  const script = spawn('sh', [join(deploy, 'overlays/demo/first-key.sh')], {
    env: { ...process.env, PATH: path },
  });
  const [key, reported, [code]] = await Promise.all([text(script.stdout), text(script.stderr), once(script, 'exit')]);
  expect([code, reported]).toEqual([0, expect.stringContaining('shown this once')]);
  return key.trim();
}

function kubectl(grpcPort: number, token: string): string {
  return `#!/bin/sh
case "$*" in
  *'rollout status'*) exit 0 ;;
  *'get secret control-plane'*) printf %s '${token}'; exit 0 ;;
esac
while [ "$1" != -- ]; do shift; done
shift
for word; do
  shift
  case "$word" in
    GATEWAYCTL_CONFIG=*) word="GATEWAYCTL_CONFIG=${at('data')}/\${word##*/}" ;;
    /app/gatewayctl/bin/main.mjs) word='${bundleOf('gatewayctl')}' ;;
    localhost:50051) word=localhost:${grpcPort} ;;
    /var/run/model-gateway/tls/*) word="${at('control-plane-tls')}/\${word##*/}" ;;
  esac
  set -- "$@" "$word"
done
exec "$@"
`;
}

/** @returns the status. @throws Error if the connection is refused */
async function askOverTls(secretName: string | undefined): Promise<number | undefined> {
  const secret = secrets.find((one) => nameOf(one) === secretName);
  const gateway = secrets.find((one) => nameOf(one) === 'egress-gateway-tls');
  const requested = request({
    host: '127.0.0.1',
    port: proxy.tlsPort,
    servername: 'egress-gateway.model-gateway.svc',
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { authorization: `Bearer ${virtualKey}`, 'content-type': 'application/json' },
    ca: gateway && valueIn(gateway, 'ca.crt'),
    ...(secret && { cert: valueIn(secret, 'tls.crt'), key: valueIn(secret, 'tls.key') }),
    agent: false,
  });
  requested.end(chatBody());
  const [response] = await once(requested, 'response');
  response.resume();
  return response.statusCode;
}
