export { AccessPage } from './access-page.tsx';
export { KeyPage } from './key-page.tsx';
