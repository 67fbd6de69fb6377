// The playground: one request with a key of one's own, in any format of clients, sent by the browser to the proxy. Key and
// texts are in this page's memory only.
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useCaller } from '../../api/caller.tsx';
import { playgroundUrl } from '../../api/playground-url.ts';
import { useChange, useRead } from '../../api/queries.ts';
import classes from '../../styles/page.module.css';
import { Button } from '../../ui/button.tsx';
import { Check, Picker, TextInput } from '../../ui/fields.tsx';
import { Muted, Page, Pair, Panel, Row, Stack } from '../../ui/layout.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { callProxy, type Outcome } from './call-proxy.ts';
import { Code } from './code.tsx';
import { type CallFormat, callFormats, type Prompt } from './formats.ts';
import { Result } from './result.tsx';

const keyMs = 3_600_000;
const newPrompt: Prompt = {
  model: 'gpt-provider/gpt-4o-mini',
  system: '',
  text: 'Say hello in one sentence.',
  tokensMax: 500,
  isStreamed: true,
};

interface MadeKey {
  readonly id: string;
  readonly value: string;
}

export function PlaygroundPage() {
  const [made, setMade] = useState<MadeKey>();
  const [typed, setTyped] = useState('');
  const [prompt, setPrompt] = useState(newPrompt);
  const [formatId, setFormatId] = useState('chat');
  const format = callFormats.find(({ id }) => id === formatId) ?? callFormats[0];
  if (format === undefined) return null;
  const sent = { ...prompt, isStreamed: prompt.isStreamed && format.streams };
  return (
    <Page
      title="Playground"
      description="A request of this browser to the proxy. The key and the texts are in this page’s memory only; the request counts and costs as any other."
    >
      <KeyPanel made={made} onMade={setMade} typed={typed} onTyped={setTyped} />
      <Pair>
        <Stack>
          <RequestForm {...{ format, prompt, madeKeyId: made?.id }} onFormat={setFormatId} onPrompt={setPrompt} />
        </Stack>
        <Run format={format} prompt={sent} value={typed === '' ? (made?.value ?? '') : typed.trim()} />
      </Pair>
      <Code url={playgroundUrl} format={format} prompt={sent} />
    </Page>
  );
}

interface KeyPanelProps {
  readonly made: MadeKey | undefined;
  readonly onMade: (key: MadeKey) => void;
  readonly typed: string;
  readonly onTyped: (value: string) => void;
}

function KeyPanel({ made, onMade, typed, onTyped }: KeyPanelProps) {
  const { organizationId, personId } = useCaller();
  const create = useChange('VirtualKeys.Create');
  const make = async () => {
    const now = Date.now();
    const created = await create.run({
      organizationId,
      scope: { kind: 'person', id: personId },
      name: `Playground ${new Date(now).toISOString()}`,
      endsAt: new Date(now + keyMs).toISOString(),
      metadata: { entries: { 'made-for': 'playground' } },
    });
    if (created?.virtualKey !== undefined && created.value !== undefined)
      onMade({ id: created.virtualKey.id, value: created.value });
  };
  return (
    <Panel title="Key">
      <Row>
        <Button onPress={() => void make()} isPending={create.isPending}>
          {made === undefined ? 'Make a key for an hour' : 'Make another key'}
        </Button>
        <Muted>
          {made === undefined
            ? 'Your own key, with your limits and models.'
            : 'The page has a key of yours for an hour.'}
        </Muted>
      </Row>
      <TextInput
        label="Or a key that you have"
        type="password"
        value={typed}
        onChange={onTyped}
        description="It is sent to the proxy alone."
      />
      <ErrorNote error={create.error} />
    </Panel>
  );
}

interface RequestFormProps {
  readonly format: CallFormat;
  readonly prompt: Prompt;
  readonly madeKeyId: string | undefined;
  readonly onFormat: (id: string) => void;
  readonly onPrompt: (prompt: Prompt) => void;
}

function RequestForm({ format, prompt, madeKeyId, onFormat, onPrompt }: RequestFormProps) {
  const set = (change: Partial<Prompt>) => onPrompt({ ...prompt, ...change });
  const { data } = useRead('VirtualKeys.Explain', { id: madeKeyId ?? '' }, { enabled: madeKeyId !== undefined });
  const known = [...(data?.routes.map((route) => `route/${route}`) ?? []), ...(data?.models ?? [])];
  return (
    <Panel title="Request">
      <Picker label="Format" options={callFormats} value={format.id} onChange={onFormat} />
      <TextInput label="Model or route" isMono value={prompt.model} onChange={(model) => set({ model })} />
      {known.length === 0 ? null : (
        <Picker
          label="Models of the key"
          options={known.map((name) => ({ id: name, name }))}
          value={prompt.model}
          onChange={(model) => set({ model })}
        />
      )}
      <TextInput label="System text" rows={2} value={prompt.system} onChange={(system) => set({ system })} />
      <TextInput label="Text" rows={6} value={prompt.text} onChange={(text) => set({ text })} />
      <TextInput
        label="Tokens of the response at most"
        type="number"
        value={String(prompt.tokensMax)}
        onChange={(tokens) => set({ tokensMax: Number(tokens) })}
      />
      <Check
        isSelected={prompt.isStreamed && format.streams}
        isDisabled={!format.streams}
        onChange={(isStreamed) => set({ isStreamed })}
      >
        Stream the response
      </Check>
    </Panel>
  );
}

interface RunProps {
  readonly format: CallFormat;
  readonly prompt: Prompt;
  readonly value: string;
}

function Run({ format, prompt, value }: RunProps) {
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<Outcome>();
  const [running, setRunning] = useState<AbortController>();
  const last = useRef<AbortController>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const controller = new AbortController();
    last.current = controller;
    setRunning(controller);
    setText('');
    setOutcome(undefined);
    const target = { url: playgroundUrl, key: value, format, prompt };
    const done = await callProxy(target, (more) => setText((before) => before + more), controller.signal);
    setRunning(undefined);
    setOutcome(done);
  };
  return (
    <Panel title="Response">
      <form onSubmit={(event) => void send(event)}>
        <Row>
          <Button look="primary" type="submit" isDisabled={value === '' || running !== undefined}>
            Send
          </Button>
          <Button onPress={() => running?.abort()} isDisabled={running === undefined}>
            Stop
          </Button>
          {value === '' ? <Muted>Make or paste a key first.</Muted> : null}
        </Row>
      </form>
      <output className={classes.output} aria-label="Text of the response" aria-busy={running !== undefined}>
        {text}
      </output>
      {outcome === undefined ? null : <Result outcome={outcome} />}
    </Panel>
  );
}
