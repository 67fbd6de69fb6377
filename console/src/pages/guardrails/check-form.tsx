// The fields of one kind of check.
import { Check, TextInput } from '../../ui/fields.tsx';
import { Row } from '../../ui/layout.tsx';
import { Note } from '../../ui/notes.tsx';
import { type CheckFields, personalDataTypes } from './check-kinds.ts';
import { ServiceForm } from './service-form.tsx';

export interface CheckFormProps {
  readonly check: CheckFields;
  readonly onChange: (check: CheckFields) => void;
}

export function CheckForm({ check, onChange }: CheckFormProps) {
  const set = (change: Partial<CheckFields>) => onChange({ ...check, ...change });
  switch (check.kind) {
    case 'words':
      return (
        <>
          <TextInput label="Phrases, one to a line" rows={4} value={check.lines} onChange={(lines) => set({ lines })} />
          <Check isSelected={check.withinWords} onChange={(withinWords) => set({ withinWords })}>
            Also within longer words
          </Check>
        </>
      );
    case 'pattern':
      return (
        <TextInput
          label="Regular expressions, one to a line"
          rows={4}
          isMono
          value={check.lines}
          onChange={(lines) => set({ lines })}
          description="In RE2’s syntax."
        />
      );
    case 'personalData':
      return <PersonalData check={check} onChange={onChange} />;
    case 'secrets':
      return (
        <Note>It matches keys of cloud providers and services, tokens, private keys, and this gateway’s own keys.</Note>
      );
    case 'promptSize':
      return (
        <TextInput
          label="Most tokens of a prompt, estimated"
          type="number"
          value={check.tokensMax}
          onChange={(tokensMax) => set({ tokensMax })}
        />
      );
    case 'json':
      return (
        <TextInput
          label="Check as JSON"
          rows={8}
          isMono
          value={check.json}
          onChange={(json) => set({ json })}
          description="With the fields of the contract (GuardrailCheck)."
        />
      );
    default:
      return (
        <ServiceForm
          kind={check.kind}
          fields={check.call}
          onChange={(change) => set({ call: { ...check.call, ...change } })}
        />
      );
  }
}

function PersonalData({ check, onChange }: CheckFormProps) {
  const set = (change: Partial<CheckFields>) => onChange({ ...check, ...change });
  const toggle = (id: string, isSelected: boolean) =>
    set({ types: isSelected ? [...check.types, id] : check.types.filter((type) => type !== id) });
  return (
    <>
      <Row>
        {personalDataTypes.map(({ id, name }) => (
          <Check key={id} isSelected={check.types.includes(id)} onChange={(isSelected) => toggle(id, isSelected)}>
            {name}
          </Check>
        ))}
      </Row>
      <Note>Without a choice it matches all of them.</Note>
      <TextInput
        label="Countries of phone numbers without a country code"
        value={check.countries}
        onChange={(countries) => set({ countries })}
        description="ISO codes such as US, DE."
      />
      <Check isSelected={check.restore} onChange={(restore) => set({ restore })}>
        Put the original text back into the response (with redact, in requests)
      </Check>
    </>
  );
}
