// Fields of forms. Each has a visible label; a description says what the value does.
import { type ReactNode, useMemo } from 'react';
import { Button } from 'react-aria-components/Button';
import { Checkbox } from 'react-aria-components/Checkbox';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { SearchField } from 'react-aria-components/SearchField';
import { Select, SelectValue } from 'react-aria-components/Select';
import { Switch } from 'react-aria-components/Switch';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import classes from '../styles/controls.module.css';

interface Common {
  readonly label: string;
  readonly description?: string;
}

export interface TextInputProps extends Common {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'number' | 'datetime-local';
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
  /** More than one: a text area. */
  readonly rows?: number;
  readonly autoFocus?: boolean;
  readonly isMono?: boolean;
  /** The label is the placeholder, as in a bar of filters. */
  readonly isCompact?: boolean;
}

export function TextInput(allProps: TextInputProps) {
  const { label, description, rows = 1, isMono = false, isCompact = false, ...props } = allProps;
  const placeholder = isCompact ? label : props.placeholder;
  const look = `${classes.input} ${isMono ? classes.mono : ''}`;
  const hint = placeholder === undefined ? {} : { placeholder };
  return (
    <TextField {...props} className={classes.field} autoComplete="off" {...(isCompact ? { 'aria-label': label } : {})}>
      {isCompact ? null : <Label className={classes.label}>{label}</Label>}
      {rows > 1 ? (
        <TextArea className={look} rows={rows} {...hint} />
      ) : (
        <Input className={look} {...hint} step={props.type === 'number' ? 'any' : undefined} />
      )}
      <Description text={description} />
    </TextField>
  );
}

function Description({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <Text slot="description" className={classes.description}>
      {text}
    </Text>
  );
}

export interface Option {
  readonly id: string;
  readonly name: string;
}

export interface PickerProps extends Common {
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly isDisabled?: boolean;
  /** The label is beside the value, as in a bar of filters. */
  readonly isCompact?: boolean;
}

/** The same objects as long as they say the same: the library makes its list anew for each new object. */
function useStable(options: readonly Option[]): readonly Option[] {
  const text = JSON.stringify(options.map(({ id, name }) => [id, name]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is all that the list shows
  return useMemo(() => options.map(({ id, name }) => ({ id, name })), [text]);
}

/** One of a list. */
export function Picker({ label, description, options, value, onChange, isDisabled, isCompact = false }: PickerProps) {
  const items = useStable(options);
  return (
    <Select
      className={`${classes.field} ${isCompact ? classes.compact : ''}`}
      selectedKey={value}
      onSelectionChange={(key) => onChange(String(key ?? ''))}
      isDisabled={isDisabled ?? false}
    >
      <Label className={classes.label}>{label}</Label>
      <Button className={`${classes.input} ${classes.picker}`}>
        <SelectValue className={classes.value ?? ''} />
        <span aria-hidden="true">▾</span>
      </Button>
      <Description text={description} />
      <Popover className={classes.popover ?? ''}>
        <ListBox className={classes.options ?? ''} items={items}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.name} className={classes.option ?? ''}>
              {option.name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}

export interface ToggleProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
  /** For screen readers, in place of the text. */
  readonly label?: string | undefined;
}

/** A switch that acts at once. */
export function Toggle({ children, label, ...props }: ToggleProps) {
  return (
    <Switch {...props} {...(label === undefined ? {} : { 'aria-label': label })} className={classes.toggle ?? ''}>
      <span className={classes.track} aria-hidden="true">
        <span className={classes.thumb} />
      </span>
      <span>{children}</span>
    </Switch>
  );
}

/** A box of a form, which acts when the form is sent. */
export function Check({ children, ...props }: Omit<ToggleProps, 'label'>) {
  return (
    <Checkbox {...props} className={classes.check ?? ''}>
      <span className={classes.box} aria-hidden="true" />
      <span>{children}</span>
    </Checkbox>
  );
}

export interface SearchInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchInput({ label, value, onChange }: SearchInputProps) {
  return (
    <SearchField aria-label={label} value={value} onChange={onChange} className={classes.field ?? ''}>
      <Input className={classes.input} placeholder={label} maxLength={200} />
    </SearchField>
  );
}
