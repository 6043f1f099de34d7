export * from './messages.js';
export { openLink } from './open-link.js';
export type { LinkHandle, OpenLinkOptions } from './options.js';
