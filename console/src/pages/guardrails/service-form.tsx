// The fields of checks that call something, and the credential of a vendor's service, which is never shown again.
import type { ServiceCredentialInput } from '../../../generated/contract.ts';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { adapters, type CallFields, type CallKind, forms } from './service-kinds.ts';

export interface ServiceFormProps {
  readonly kind: CallKind;
  readonly fields: CallFields;
  readonly onChange: (change: Partial<CallFields>) => void;
}

export function ServiceForm({ kind, fields, onChange }: ServiceFormProps) {
  return (
    <>
      <Where {...{ kind, fields, onChange }} />
      {kind === 'webhook' ? null : (
        <>
          <TextInput
            label={kind === 'service' ? 'Labels that count' : 'Categories that count'}
            value={fields.labels}
            onChange={(labels) => onChange({ labels })}
            description="With commas between them; empty: all."
          />
          <TextInput
            label="Score from which a match counts"
            type="number"
            value={fields.scoreMin}
            onChange={(scoreMin) => onChange({ scoreMin })}
            description="0 to 1; empty: as the service decides."
          />
        </>
      )}
      {kind === 'moderation' ? null : (
        <TextInput
          label="Milliseconds for one call"
          type="number"
          value={fields.timeoutMs}
          onChange={(timeoutMs) => onChange({ timeoutMs })}
          description="At most 30,000; empty: the usual."
        />
      )}
      <TextInput
        label="Characters of a response in one call"
        type="number"
        value={fields.window}
        onChange={(window) => onChange({ window })}
        description="200 to 100,000; empty: 1,000."
      />
    </>
  );
}

function Where({ kind, fields, onChange }: ServiceFormProps) {
  switch (kind) {
    case 'webhook':
      return (
        <TextInput
          label="URL"
          type="url"
          isRequired
          value={fields.url}
          onChange={(url) => onChange({ url })}
          placeholder="https://checks.example.com/inspect"
          description="It gets each text, signed with a secret that is shown once."
        />
      );
    case 'moderation':
      return (
        <TextInput
          label="Model"
          isMono
          value={fields.model}
          onChange={(model) => onChange({ model })}
          placeholder="omni-moderation-latest"
        />
      );
    case 'service':
      return (
        <>
          <Picker
            label="Service"
            options={adapters}
            value={fields.adapter}
            onChange={(adapter) => onChange({ adapter })}
          />
          <TextInput
            label="URL of the service"
            type="url"
            value={fields.url}
            onChange={(url) => onChange({ url })}
            description="Empty: the vendor’s own address, if it has one."
          />
          <TextInput
            label="Options, name=value, one to a line"
            rows={3}
            isMono
            value={fields.options}
            onChange={(options) => onChange({ options })}
            placeholder="region=eu-west-1"
          />
        </>
      );
    case 'model':
      return <ClassifierModel {...{ kind, fields, onChange }} />;
  }
}

function ClassifierModel({ fields, onChange }: ServiceFormProps) {
  return (
    <>
      <TextInput
        label="Model"
        isMono
        isRequired
        value={fields.model}
        onChange={(model) => onChange({ model })}
        placeholder="gpt-provider/gpt-4o-mini"
        description="It is called with the organization’s provider keys, and its usage is charged."
      />
      <Picker label="How it is called" options={forms} value={fields.form} onChange={(form) => onChange({ form })} />
      {fields.form === 'judge' || fields.form === 'granite_guardian' ? (
        <TextInput
          label="Criterion"
          value={fields.criterion}
          onChange={(criterion) => onChange({ criterion })}
          description="Of judge: prompt_injection, topics or grounding. Of granite_guardian: a risk or a sentence."
        />
      ) : null}
      {fields.form === 'judge' && fields.criterion === 'topics' ? (
        <TextInput
          label="Forbidden topics, one to a line"
          rows={3}
          value={fields.topics}
          onChange={(topics) => onChange({ topics })}
        />
      ) : null}
    </>
  );
}

export interface CredentialFields {
  readonly apiKey: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly serviceAccount: string;
}

export const noCredential: CredentialFields = {
  ...{ apiKey: '', accessKeyId: '', secretAccessKey: '', sessionToken: '', serviceAccount: '' },
};

/** Undefined: nothing is typed, and a stored one stays. */
export function credentialOf(fields: CredentialFields): ServiceCredentialInput | undefined {
  const typed = Object.entries(fields).filter(([, value]) => value.trim() !== '');
  return typed.length === 0 ? undefined : Object.fromEntries(typed);
}

export interface CredentialFormProps {
  readonly adapter: string;
  readonly fields: CredentialFields;
  readonly isStored: boolean;
  readonly onChange: (fields: CredentialFields) => void;
}

const texts: Readonly<Record<string, readonly (readonly [keyof CredentialFields, string])[]>> = {
  bedrock: [
    ['accessKeyId', 'Access key id'],
    ['secretAccessKey', 'Secret access key'],
    ['sessionToken', 'Session token'],
    ['apiKey', 'Or an API key'],
  ],
  model_armor: [['serviceAccount', 'Key file of the service account, as JSON']],
};

export function CredentialForm({ adapter, fields, isStored, onChange }: CredentialFormProps) {
  const shown = texts[adapter] ?? ([['apiKey', 'API key']] as const);
  return (
    <>
      {shown.map(([name, label], index) => (
        <TextInput
          key={name}
          label={label}
          type="password"
          value={fields[name]}
          onChange={(value) => onChange({ ...fields, [name]: value })}
          {...(index === 0 ? { description: isStored ? 'One is stored; empty: it stays.' : 'Stored sealed.' } : {})}
        />
      ))}
    </>
  );
}
