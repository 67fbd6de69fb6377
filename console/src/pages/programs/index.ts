export { DevicePage } from './device-page.tsx';
export { ProgramPage } from './program-page.tsx';
