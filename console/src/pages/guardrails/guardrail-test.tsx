// Runs a text through the guardrails. The text is not recorded.
import { type FormEvent, useState } from 'react';
import type { GuardrailDecision, GuardrailTestResult, TestGuardrailsResponse } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import classes from '../../styles/page.module.css';
import { Button } from '../../ui/button.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { word } from '../../ui/format.ts';
import { Pair, Panel, Row, Stack } from '../../ui/layout.tsx';
import { Badge, Empty, ErrorNote, Note, type Tone } from '../../ui/notes.tsx';
import { DataTable, type TableColumn } from '../../ui/table.tsx';
import { useKeys } from '../shared/names.ts';

const stages = [
  { id: 'input', name: 'A request' },
  { id: 'output', name: 'A response' },
] as const;

export function GuardrailTest() {
  const { organizationId } = useCaller();
  const [stage, setStage] = useState<'input' | 'output'>('input');
  const [text, setText] = useState('');
  const [keyId, setKeyId] = useState('');
  const [tested, setTested] = useState<{ readonly text: string; readonly response: TestGuardrailsResponse }>();
  const keys = useKeys();
  const test = useChange('Guardrails.Test');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const response = await test.run({ organizationId, stage, text, ...(keyId === '' ? {} : { keyId }) });
    if (response !== undefined) setTested({ text, response });
  };
  return (
    <Pair>
      <Panel title="Text">
        <form onSubmit={(event) => void submit(event)}>
          <Stack>
            <Picker
              label="As"
              options={stages}
              value={stage}
              onChange={(id) => setStage(id === 'output' ? 'output' : 'input')}
            />
            <Picker
              label="Of the key"
              options={[{ id: '', name: 'any key of the organization' }, ...keys]}
              value={keyId}
              onChange={setKeyId}
            />
            <TextInput label="Text" rows={8} value={text} onChange={setText} description="It is not recorded." />
            <ErrorNote error={test.error} />
            <Row>
              <Button look="primary" type="submit" isPending={test.isPending} isDisabled={text === ''}>
                Test
              </Button>
            </Row>
          </Stack>
        </form>
      </Panel>
      <Panel title="Result">
        {tested === undefined ? <Empty title="Nothing is tested yet" /> : <Result {...tested} />}
      </Panel>
    </Pair>
  );
}

const tones: Readonly<Record<GuardrailDecision, Tone>> = {
  GUARDRAIL_DECISION_UNSPECIFIED: 'neutral',
  GUARDRAIL_DECISION_PASS: 'good',
  GUARDRAIL_DECISION_BLOCK: 'bad',
  GUARDRAIL_DECISION_REDACT: 'warn',
  GUARDRAIL_DECISION_OBSERVE: 'accent',
  GUARDRAIL_DECISION_FAILED_PASS: 'warn',
  GUARDRAIL_DECISION_FAILED_BLOCK: 'bad',
  GUARDRAIL_DECISION_NOT_TRIED: 'neutral',
  GUARDRAIL_DECISION_UNAVAILABLE: 'warn',
};

const columns: readonly TableColumn<GuardrailTestResult>[] = [
  {
    id: 'name',
    title: 'Guardrail',
    render: ({ name, enabled }) => `${name}${enabled ? '' : ' (disabled)'}`,
    minWidth: 140,
  },
  {
    id: 'decision',
    title: 'Decision',
    render: ({ decision }) => <Badge tone={tones[decision]}>{word(decision, 'GUARDRAIL_DECISION_')}</Badge>,
  },
  {
    id: 'found',
    title: 'Matches',
    render: ({ found }) =>
      Object.entries(found)
        .map(([label, number]) => `${label} ${number}`)
        .join(', ') || '–',
  },
];

function Result({ text, response }: { readonly text: string; readonly response: TestGuardrailsResponse }) {
  const { blockedBy, message, results } = response;
  return (
    <Stack>
      {blockedBy === '' ? (
        <Note tone="good">
          <strong>It passes{response.text === text ? ' unchanged' : ', changed'}.</strong>
        </Note>
      ) : (
        <Note tone="bad">
          <strong>{blockedBy} blocks it.</strong>
          <span>The caller gets: {message}</span>
        </Note>
      )}
      <DataTable
        label="Decisions"
        columns={columns}
        rows={results}
        idOf={({ guardrailId }) => guardrailId}
        empty={<Empty title="No guardrail applies" />}
      />
      <h3>Matches in the text</h3>
      <p className={classes.marked}>
        <Marked text={text} results={results} />
      </p>
      {blockedBy === '' && response.text !== text ? (
        <>
          <h3>The text that is passed on</h3>
          <p className={classes.marked}>{response.text}</p>
        </>
      ) : null}
    </Stack>
  );
}

/** The text with its matches marked; of overlapping ones the first. */
function Marked({ text, results }: { readonly text: string; readonly results: readonly GuardrailTestResult[] }) {
  const spans = results.flatMap(({ places }) => places).toSorted((a, b) => a.start - b.start);
  const parts: { readonly from: number; readonly to: number; readonly label: string }[] = [];
  let end = 0;
  for (const { start, end: to, label } of spans) {
    if (start < end) continue;
    parts.push({ from: end, to: start, label: '' }, { from: start, to, label });
    end = to;
  }
  parts.push({ from: end, to: text.length, label: '' });
  return parts.map(({ from, to, label }) =>
    label === '' ? (
      <span key={`${from} text`}>{text.slice(from, to)}</span>
    ) : (
      <mark key={`${from} match`} title={label}>
        {text.slice(from, to)}
      </mark>
    ),
  );
}
