// Buttons: one primary action for a view, all others quiet.
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import classes from '../styles/controls.module.css';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style'> {
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
}

export function Button({ look = 'plain', ...props }: ButtonProps) {
  return <AriaButton {...props} className={`${classes.button} ${classes[look]}`} />;
}
