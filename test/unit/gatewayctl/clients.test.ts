// The table of clients: every block names the gateway's address, the model and the variable of the key, in the syntax
// of its language; and how agents are started.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type Agent, agents } from '../../../gatewayctl/clients/agents.ts';
import { blocksText, clientNames, clients, gatewayOrigin } from '../../../gatewayctl/clients/index.ts';

const wish = {
  url: 'https://gateway.example.com:8443',
  model: 'gpt-provider/gpt-4o-mini',
  keyName: 'MODEL_GATEWAY_KEY',
};

describe.each(clientNames)('the blocks of %s', (name) => {
  const row = clients[name];
  const text = blocksText(row.blocks(wish));

  it('name the address, the model and the variable of the key', () => {
    expect(text).toContain(wish.url);
    expect(text).toContain(wish.model);
    expect(text).toContain(wish.keyName);
  });

  it('end with a line end, and contain no key', () => {
    for (const block of row.blocks(wish)) expect(block.text).toMatch(/[^\n]\n$/);
    expect(text).not.toContain('sk-svc-');
  });

  it('carry a model with quotes through the shell unchanged', () => {
    const shell = row.blocks({ ...wish, model: `it's "$HOME"` }).filter(({ language }) => language === 'sh');
    for (const { text: lines } of shell) {
      // Programs are replaced by one that prints its arguments; the environment is printed after it.
      const script = `claude() { printf '%s\\n' "$@"; }; codex() { claude "$@"; }; gemini() { claude "$@"; }
opencode() { claude "$@"; }; aider() { claude "$@"; }; mkdir() { :; }; echo() { :; }
HOME=$(mktemp -d); mkdir -p "$HOME"; MODEL_GATEWAY_KEY=key\n${lines.replace(/ > .*/g, '')}\nenv\nrmdir "$HOME"`;
      const printed = execFileSync('bash', ['-euc', script], { encoding: 'utf8' });
      const isModelless = !lines.includes("'\\''");
      expect(isModelless || printed.includes(`it's "$HOME"`) || printed.includes(String.raw`it's \"$HOME\"`)).toBe(
        true,
      );
    }
  });
});

describe('the gateway’s address', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['https://gateway.example.com/v1', 'https://gateway.example.com'],
    ['https://gateway.example.com/v1/', 'https://gateway.example.com'],
  ])('%s is the origin %s', (text, origin) => {
    expect(gatewayOrigin(text)).toBe(origin);
  });

  it.each([
    ['127.0.0.1:8080', 'must be http'],
    ['ftp://gateway', 'must be http'],
    ['https://gateway/path', 'must not have a path'],
    ['https://user:secret@gateway', 'must not contain credentials'],
    ['https://gateway/?key=secret', 'must not contain credentials'],
  ])('%s is refused', (text, why) => {
    expect(() => gatewayOrigin(text)).toThrow(why);
  });
});

const start = { url: 'http://127.0.0.1:8080', keyName: 'MODEL_GATEWAY_KEY', home: '/var/gatewayctl' };

describe('an agent', () => {
  it.each(Object.entries<Agent>(agents))('%s has no key in its arguments, its variables and its file', (_, agent) => {
    const launched = agent.launch({ ...start, model: 'a/b', smallModel: 'a/c' });
    const own = JSON.stringify([launched.args, launched.env, launched.file]);
    expect(own).toContain('a/b');
    expect(own).not.toContain('sk-');
    expect(launched.keyNames.length).toBeGreaterThan(0);
    expect(launched.without.filter((name) => launched.keyNames.includes(name) || name in launched.env)).toEqual([]);
  });

  it('uses the small model for titles and the like', () => {
    const models = { model: 'a/large', smallModel: 'a/small' };
    expect(agents.claude.launch({ ...start, ...models }).env).toMatchObject({
      ANTHROPIC_MODEL: 'a/large',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'a/large',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'a/small',
      CLAUDE_CODE_SUBAGENT_MODEL: 'a/large',
    });
    const config = JSON.parse(agents.opencode.launch({ ...start, ...models }).env.OPENCODE_CONFIG_CONTENT);
    expect(config).toMatchObject({ model: 'gateway/a/large', small_model: 'gateway/a/small' });
    expect(Object.keys(config.provider.gateway.models)).toEqual(['a/large', 'a/small']);
  });

  it('keeps its own default where no model is named', () => {
    expect(agents.claude.launch(start).env).toEqual({ ANTHROPIC_BASE_URL: start.url });
    expect(agents.gemini.launch(start).args).toEqual([]);
    expect(agents.codex.launch(start).args.join(' ')).not.toMatch(/-c (?:review_)?model=/);
  });
});

describe('a file of an editor', () => {
  it('is YAML whose values are those of the wish', () => {
    const [block] = clients.continue.blocks(wish);
    expect(parseYaml(block?.text ?? '')).toMatchObject({
      models: [
        {
          provider: 'openai',
          model: wish.model,
          apiBase: `${wish.url}/v1`,
          apiKey: ['$', '{{ secrets.MODEL_GATEWAY_KEY }}'].join(''),
        },
      ],
    });
  });
});
