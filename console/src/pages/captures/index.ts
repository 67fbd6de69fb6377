export { CapturePage } from './capture-page.tsx';
