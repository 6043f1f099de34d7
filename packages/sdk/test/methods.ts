export { SDK_METHODS as METHODS } from '../../server/src/app/operations.ts'

/** Methods that are more than one operation. */
export const COMBINED_METHODS: readonly string[] = ['events.tail']

/** Operations whose method is the `fetch` of an account. */
export const PROXY_OPERATIONS: readonly string[] = [
  'sendProxyRequest',
  'proxyGet',
  'proxyPost',
  'proxyPut',
  'proxyPatch',
  'proxyDelete',
]
