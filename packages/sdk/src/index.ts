export type { AccessToken, Account } from './account.ts'
export type * from './api-types.ts'
export {
  type FieldErrors,
  findLinchpinError,
  isLinchpinError,
  LinchpinConnectionError,
  LinchpinError,
  LinchpinTimeoutError,
} from './errors.ts'
export type { TailQuery } from './events.ts'
export { Linchpin, type LinchpinOptions } from './linchpin.ts'
export type { List, ListPage } from './list.ts'
export type { Fetch, RequestOptions } from './send.ts'
