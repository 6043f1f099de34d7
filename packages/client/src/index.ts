export * from './messages.ts'
export { openLink } from './open-link.ts'
export type { LinkHandle, OpenLinkOptions } from './options.ts'
