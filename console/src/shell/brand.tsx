import classes from '../styles/shell.module.css';

export function Brand() {
  return (
    <div className={classes.brand}>
      <svg className={classes.mark} viewBox="0 0 16 16" aria-hidden="true">
        <rect width="16" height="16" rx="4" fill="#0e7490" />
        <path d="M4 12V4l4 5 4-5v8" fill="none" stroke="#fff" strokeWidth="1.8" />
      </svg>
      <span>Model Gateway</span>
    </div>
  );
}
