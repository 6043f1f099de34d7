import { sendProxyRequestOperation } from './send-proxy-request.ts'

/** Those besides the forwarded requests, which routes.ts has. */
export const PROXY_OPERATIONS = [sendProxyRequestOperation]
