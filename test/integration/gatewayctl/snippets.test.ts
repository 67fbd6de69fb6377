// gatewayctl keys snippet, and that the blocks for the vendors' SDKs for JavaScript run as they are printed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientName, clientNames } from '../../../gatewayctl/clients/index.ts';
import { type Operated, startOperated } from '../../support/gatewayctl.ts';
import { projectRoot, startProcess } from '../../support/process.ts';

let operated: Operated;
let key: string;
/** Inside the repository, so that the packages of the blocks are found. */
let folder: string;
beforeAll(async () => {
  operated = await startOperated();
  await operated.gateway.organization.storeProviderKeys();
  const created = await operated.owner.json(['keys', 'create', 'app', '--allow', 'gpt-provider/gpt-4o-mini']);
  key = created.value;
  folder = mkdtempSync(join(projectRoot, 'node_modules/.cache-snippets-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await operated.close();
});

const url = () => operated.gateway.proxy.url;

describe('gatewayctl keys snippet', () => {
  it('lists the clients without a server', async () => {
    const { code, out } = await operated.owner.run('keys snippet', { env: { GATEWAYCTL_CONFIG: '/nowhere' } });
    expect(code).toBe(0);
    for (const name of clientNames) expect(out).toMatch(new RegExp(`^${name} `, 'm'));
  });

  it('prints a block with the model that the key may call, without the key', async () => {
    const out = await operated.owner.expect(`keys snippet app --client openai-python --url ${url()}/v1`);
    expect(out).toContain(`export OPENAI_BASE_URL=${url()}/v1\n`);
    expect(out).toContain('model="gpt-provider/gpt-4o-mini"');
    expect(out).toContain('"$MODEL_GATEWAY_KEY"');
    expect(out).not.toContain('sk-svc-');
  });

  it('prefers the model of the option, and knows the address from the environment', async () => {
    const line = 'keys snippet app --client codex --model search-provider/gemini-2.5-pro';
    const out = await operated.owner.expect(line, { env: { MODEL_GATEWAY_URL: 'https://gateway.example.com' } });
    expect(out).toContain('base_url="https://gateway.example.com/v1"');
    expect(out).toContain('model="search-provider/gemini-2.5-pro"');
  });

  it('has its parts in JSON', async () => {
    const made = await operated.owner.json('keys snippet app --client continue');
    expect(made).toMatchObject({
      client: 'continue',
      keyName: 'MODEL_GATEWAY_KEY',
      blocks: [{ language: 'yaml', file: '~/.continue/config.yaml' }],
    });
  });

  it('refuses a key that does not exist, and one that is revoked', async () => {
    const missing = await operated.owner.run('keys snippet nobody --client codex');
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('there is no key "nobody"')]);
    await operated.owner.expect('keys create gone');
    await operated.owner.expect('keys revoke gone --yes');
    const revoked = await operated.owner.run('keys snippet gone --client codex');
    expect([revoked.code, revoked.err]).toEqual([2, expect.stringContaining('the key gone is revoked')]);
  });
});

describe('gatewayctl keys create', () => {
  it('says how the key is used, beside its value', async () => {
    const { out, err } = await operated.owner.run('keys create hinted');
    expect(out).toMatch(/^sk-svc-\w+\n$/);
    expect(err).toContain('gatewayctl keys snippet hinted --client <name>');
    expect(err).toContain('gatewayctl run <agent>');
  });

  it('names the key by its id if its name is no single word', async () => {
    const { err } = await operated.owner.run(['keys', 'create', 'my $(key)']);
    expect(err).toMatch(/gatewayctl keys snippet [0-9a-f-]{36} --client/);
  });

  it('prints what to paste into a client, without the key', async () => {
    const line = `keys create pasted --allow gpt-provider/gpt-4o-mini --client openai-python --url ${url()}/v1`;
    const { code, out, err } = await operated.owner.run(line);
    expect([code, out]).toEqual([0, expect.stringMatching(/^sk-svc-\w+\n$/)]);
    expect(err).toContain(`export OPENAI_BASE_URL=${url()}/v1\n`);
    expect(err).toContain('model="gpt-provider/gpt-4o-mini"');
    expect(err).not.toContain(out.trim());
    const snippet = await operated.owner.expect(`keys snippet pasted --client openai-python --url ${url()}`);
    expect(err).toContain(snippet.trimEnd());
  });

  it('leaves its JSON as it was', async () => {
    const made = await operated.owner.json('keys create in-json --client codex');
    expect(Object.keys(made)).toEqual(['virtualKey', 'value']);
  });

  it.each(['--client nothing', '--client codex --url ftp://gateway.example'])(
    'creates none with %s',
    async (options) => {
      const { code, out } = await operated.owner.run(`keys create never ${options}`);
      expect([code, out]).toEqual([2, '']);
      expect(await operated.owner.expect('keys list')).not.toContain('never');
    },
  );
});

describe('a block', () => {
  it.each<ClientName>(['openai-js', 'anthropic-js', 'google-genai-js', 'aws-js'])(
    'of %s runs as it is printed',
    async (name) => {
      const { blocks } = await operated.owner.json(`keys snippet app --client ${name} --url ${url()}`);
      const [environment, code] = blocks;
      writeFileSync(join(folder, `${name}.mjs`), code.text);
      const script = `${environment.text}exec '${process.execPath}' ${name}.mjs`;
      const child = startProcess('bash', ['-euc', script], { cwd: folder, env: { MODEL_GATEWAY_KEY: key } });
      expect([await child.exited, child.stderr()]).toEqual([0, '']);
      expect(child.stdout()).toContain('simulated');
      const received = operated.gateway.simulator.requests.at(-1);
      expect(received?.json()).toMatchObject({ model: 'gpt-4o-mini' });
    },
  );
});
