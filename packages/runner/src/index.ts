export type * from './egress/gate-types.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export type * from './protocol.ts'
export type * from './runner-types.ts'
