// A list of allowed models, as globs.
import { TextInput } from '../../ui/fields.tsx';

export interface ModelsFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ModelsField(props: ModelsFieldProps) {
  return (
    <TextInput
      {...props}
      label="Allowed models"
      rows={3}
      isMono
      placeholder="gpt-provider/gpt-4o*"
      description="One to a line, as <provider>/<model>; * is any text. Empty: all that the organization allows."
    />
  );
}
