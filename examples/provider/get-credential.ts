import type { ExampleRequest } from './route.ts'

/** The credential a request carries: `X-Api-Key`, else the bearer token; empty when there is neither. */
export function getCredential(request: ExampleRequest): string {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return request.headers['x-api-key'] ?? bearer ?? ''
}
