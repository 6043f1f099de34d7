export type { AccessToken, Account } from './account.js';
export type * from './api-types.js';
export { type FieldErrors, findLinchpinError, isLinchpinError, LinchpinConnectionError, LinchpinError, LinchpinTimeoutError, } from './errors.js';
export type { TailQuery } from './events.js';
export { Linchpin, type LinchpinOptions } from './linchpin.js';
export type { List, ListPage } from './list.js';
export type { Fetch, RequestOptions } from './send.js';
