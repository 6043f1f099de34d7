import type { ExampleRequest } from './route.ts'

/** The credential of a request: `X-Api-Key`, otherwise the bearer token, otherwise an empty string. */
export function getCredential(request: ExampleRequest): string {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return request.headers['x-api-key'] ?? bearer ?? ''
}
