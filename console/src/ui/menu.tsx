// Actions of a row, behind one button.
import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import classes from '../styles/controls.module.css';

export interface Action {
  readonly id: string;
  readonly name: string;
  readonly isDangerous?: boolean;
  readonly run: () => void;
}

/** Nothing without actions. */
export function Actions({ label, actions }: { readonly label: string; readonly actions: readonly Action[] }) {
  if (actions.length === 0) return null;
  return (
    <MenuTrigger>
      <Button className={`${classes.button} ${classes.quiet} ${classes.icon}`} aria-label={label}>
        ⋯
      </Button>
      <Popover className={classes.popover ?? ''} placement="bottom end">
        <Menu
          className={classes.options ?? ''}
          onAction={(key) => actions.find(({ id }) => id === key)?.run()}
          items={actions.map((action) => ({ ...action }))}
        >
          {(action) => (
            <MenuItem
              id={action.id}
              textValue={action.name}
              className={`${classes.option} ${action.isDangerous ? classes.dangerous : ''}`}
            >
              {action.name}
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
