import { at } from '../run/json-path.ts'
import { readBody } from '../run/read-body.ts'
import type { JsonPath } from '../spec/check-rules.ts'
import type { SendPlain } from './auth-kind.ts'

/** Sends a login; returns the token in its response, or the response itself if there is none. */
export async function askToken(
  send: SendPlain,
  request: Parameters<SendPlain>[0],
  path: JsonPath,
): Promise<Response | { readonly token: string }> {
  const response = await send(request)
  if (!response.ok) return response
  const found = at(await readBody(response.clone()), path)
  return found == null ? response : { token: String(found) }
}
