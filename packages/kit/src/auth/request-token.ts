import type { JsonPath } from '../spec/check-rules.ts'
import { getByPath } from '../values/get-by-path.ts'
import { readBody } from '../values/read-body.ts'
import type { SendRequest } from './auth-method.ts'

/** Sends a login; returns the token in its response, or the response itself if it has no token. */
export async function requestToken(
  send: SendRequest,
  request: Parameters<SendRequest>[0],
  path: JsonPath,
): Promise<Response | { readonly token: string }> {
  const response = await send(request)
  if (!response.ok) return response
  const found = getByPath(await readBody(response.clone()), path)
  const token = found == null ? '' : String(found)
  return found == null || token.length > MAX_TOKEN_LENGTH ? response : { token }
}

/** Templates repeat it, and no header can be longer. */
const MAX_TOKEN_LENGTH = 32 * 1024
