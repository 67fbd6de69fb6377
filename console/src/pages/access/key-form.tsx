// The fields of a key, for its creation and its change.
import type { VirtualKey } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { instantOf, listOf } from '../../ui/format.ts';
import { ModelsField } from '../shared/models-field.tsx';
import { holderOf, keyScopeKind, useHolders } from '../shared/names.ts';

export interface KeyFields {
  readonly name: string;
  /** As in `holderOf`. */
  readonly scope: string;
  readonly models: string;
  /** A local time. */
  readonly endsAt: string;
  readonly priority: 'interactive' | 'batch';
}

export function newKeyFields(scope: string): KeyFields {
  return { name: '', scope, models: '', endsAt: '', priority: 'interactive' };
}

export function fieldsOf(key: VirtualKey): KeyFields {
  const kinds = { KEY_SCOPE_KIND_AI_SYSTEM: 'ai-system', KEY_SCOPE_KIND_PERSON: 'person' } as const;
  const kind = key.scope?.kind ?? 'KEY_SCOPE_KIND_ORGANIZATION';
  return {
    name: key.name,
    scope: `${kind in kinds ? kinds[kind as keyof typeof kinds] : 'organization'} ${key.scope?.id ?? ''}`,
    models: key.allowedModels.join('\n'),
    endsAt: key.endsAt === undefined ? '' : localText(new Date(key.endsAt)),
    priority: key.priorityClass === 'KEY_PRIORITY_CLASS_BATCH' ? 'batch' : 'interactive',
  };
}

/** As `<input type="datetime-local">` has it. */
function localText(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The fields of requests that both creation and change have. */
export function requestOf({ name, scope, models, endsAt, priority }: KeyFields) {
  const { kind, id } = holderOf(scope);
  const end = instantOf(endsAt);
  return {
    name: name.trim(),
    scope: { kind: keyScopeKind(kind), id },
    allowedModels: { globs: listOf(models) },
    priorityClass: priority,
    ...(end === undefined ? {} : { endsAt: end }),
  } as const;
}

export interface KeyFormProps {
  readonly fields: KeyFields;
  readonly onChange: (fields: KeyFields) => void;
}

const priorities = [
  { id: 'interactive', name: 'Interactive' },
  { id: 'batch', name: 'Batch: refused first when slots run out' },
] as const;

export function KeyForm({ fields, onChange }: KeyFormProps) {
  const { role } = useCaller();
  const holders = useHolders(['ai-system', 'person']);
  const set = (change: Partial<KeyFields>) => onChange({ ...fields, ...change });
  return (
    <>
      <TextInput
        label="Name"
        value={fields.name}
        onChange={(name) => set({ name })}
        isRequired
        autoFocus
        maxLength={100}
        description="What uses the key, such as checkout-production."
      />
      {role === 'member' ? null : (
        <Picker
          label="Belongs to"
          options={holders}
          value={fields.scope}
          onChange={(scope) => set({ scope })}
          description="Its limits, models and guardrails apply to the key as well."
        />
      )}
      <ModelsField value={fields.models} onChange={(models) => set({ models })} />
      <TextInput
        label="Ends at"
        type="datetime-local"
        value={fields.endsAt}
        onChange={(endsAt) => set({ endsAt })}
        description="In your time zone. Empty: it does not end."
      />
      <Picker
        label="Priority"
        options={priorities}
        value={fields.priority}
        onChange={(id) => set({ priority: id === 'batch' ? 'batch' : 'interactive' })}
      />
    </>
  );
}
