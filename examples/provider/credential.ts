import type { Call } from './route.ts'

/** The credential a request carries: `X-Api-Key`, else the bearer token; empty when there is neither. */
export function credential(call: Call): string {
  const bearer = /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
  return call.headers['x-api-key'] ?? bearer ?? ''
}
