// Creates or changes a guardrail.
import { useState } from 'react';
import type { Guardrail } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Check, Picker, TextInput } from '../../ui/fields.tsx';
import { word } from '../../ui/format.ts';
import { CheckForm } from './check-form.tsx';
import { type CheckFields, checkOf, fieldsOfCheck, kinds, newCheck } from './check-kinds.ts';
import { WebhookSecret } from './rotate-secret.tsx';
import { type CredentialFields, CredentialForm, credentialOf, noCredential } from './service-form.tsx';

const stages = [
  { id: 'input', name: 'Requests' },
  { id: 'output', name: 'Responses' },
  { id: 'both', name: 'Requests and responses' },
] as const;
const actions = [
  { id: 'observe', name: 'Observe: count matches' },
  { id: 'redact', name: 'Redact: replace matches by placeholders' },
  { id: 'block', name: 'Block: refuse the request' },
] as const;
const failures = [
  { id: 'block', name: 'Block the request' },
  { id: 'pass', name: 'Let it pass' },
] as const;

interface Fields {
  readonly name: string;
  readonly stage: string;
  readonly action: string;
  readonly onFailure: string;
  readonly message: string;
  readonly position: string;
  readonly enabled: boolean;
}

function fieldsOf(guardrail: Guardrail | undefined): Fields {
  if (guardrail === undefined) {
    return {
      name: '',
      stage: 'input',
      action: 'observe',
      onFailure: 'block',
      message: '',
      position: '100',
      enabled: true,
    };
  }
  const { name, stage, action, onFailure, message, position, enabled } = guardrail;
  return {
    name,
    stage: word(stage, 'GUARDRAIL_STAGE_'),
    action: word(action, 'GUARDRAIL_ACTION_'),
    onFailure: word(onFailure, 'GUARDRAIL_FAILURE_RULE_'),
    message,
    position: String(position),
    enabled,
  };
}

const chosen = <T extends { readonly id: string }>(options: readonly T[], id: string): T['id'] | undefined =>
  options.find((option) => option.id === id)?.id;

/** The saving of the form: a response, or the error that it shows. */
function useSave(guardrail: Guardrail | undefined) {
  const { organizationId } = useCaller();
  const create = useChange('Guardrails.Create');
  const update = useChange('Guardrails.Update');
  const [syntax, setSyntax] = useState<Error | null>(null);
  /** @returns undefined if it failed; else the secret of a new webhook, empty for all others */
  const save = async (
    fields: Fields,
    check: CheckFields,
    credential: CredentialFields,
  ): Promise<string | undefined> => {
    setSyntax(null);
    try {
      const request = {
        name: fields.name,
        stage: chosen(stages, fields.stage),
        action: chosen(actions, fields.action),
        onFailure: chosen(failures, fields.onFailure),
        message: fields.message,
        position: Number(fields.position),
        enabled: fields.enabled,
        check: checkOf(check, guardrail?.check),
        ...(check.kind === 'service' ? { credential: credentialOf(credential) } : {}),
      };
      if (guardrail === undefined) {
        const created = await create.run({ organizationId, ...request });
        return created && (created.secret ?? '');
      }
      const changed = await update.run({ id: guardrail.id, ifRevision: guardrail.revision, ...request });
      return changed && '';
    } catch (error) {
      setSyntax(new Error(`the check is no JSON: ${error instanceof Error ? error.message : ''}`));
      return undefined;
    }
  };
  return { save, isPending: create.isPending || update.isPending, error: syntax ?? create.error ?? update.error };
}

export interface GuardrailFormProps {
  /** Undefined: a new one. */
  readonly guardrail: Guardrail | undefined;
  readonly onClose: () => void;
}

export function GuardrailForm({ guardrail, onClose }: GuardrailFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(guardrail));
  const [check, setCheck] = useState(() => (guardrail === undefined ? newCheck : fieldsOfCheck(guardrail)));
  const [credential, setCredential] = useState(noCredential);
  const [secret, setSecret] = useState('');
  const { save, isPending, error } = useSave(guardrail);
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const submit = async () => {
    const saved = await save(fields, check, credential);
    if (saved === '') onClose();
    else if (saved !== undefined) setSecret(saved);
  };
  if (secret !== '') return <WebhookSecret value={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={guardrail === undefined ? 'Create a guardrail' : `Change ${guardrail.name}`}
      submit={guardrail === undefined ? 'Create guardrail' : 'Save'}
      isPending={isPending}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
      isWide
    >
      <TextInput
        label="Name"
        value={fields.name}
        onChange={(name) => set({ name })}
        isRequired
        autoFocus
        description="Callers see it: small letters, digits, dot, dash and underscore."
      />
      <Picker
        label="Kind"
        options={kinds}
        value={check.kind}
        isDisabled={guardrail !== undefined}
        onChange={(id) => setCheck({ ...check, kind: chosen(kinds, id) ?? 'json' })}
      />
      <CheckForm check={check} onChange={setCheck} />
      {check.kind === 'service' ? (
        <CredentialForm
          adapter={check.call.adapter}
          fields={credential}
          isStored={guardrail?.hasCredential ?? false}
          onChange={setCredential}
        />
      ) : null}
      <Picker label="Inspects" options={stages} value={fields.stage} onChange={(stage) => set({ stage })} />
      <Picker label="A match" options={actions} value={fields.action} onChange={(action) => set({ action })} />
      <Picker
        label="If the check itself fails"
        options={failures}
        value={fields.onFailure}
        onChange={(onFailure) => set({ onFailure })}
      />
      <TextInput
        label="Message to callers that it blocks"
        value={fields.message}
        onChange={(message) => set({ message })}
        maxLength={200}
      />
      <TextInput
        label="Position"
        type="number"
        value={fields.position}
        onChange={(position) => set({ position })}
        description="Guardrails apply in this order, 0 to 1,000."
      />
      <Check isSelected={fields.enabled} onChange={(enabled) => set({ enabled })}>
        Enabled
      </Check>
    </FormDialog>
  );
}
