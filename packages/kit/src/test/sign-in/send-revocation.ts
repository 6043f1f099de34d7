import type { RevocationSpecification } from '@linchpin/runner/protocol'
import { listRevocationNames } from '../../spec/revocation-rules.ts'
import { type Config, fillDeep, fillUrl } from '../../values/fill.ts'
import { getByPath } from '../../values/get-by-path.ts'
import type { SandboxResponse, TestSandbox } from '../test-sandbox.ts'

/** The tokens of one sign-in. */
export interface RevokedTokens {
  readonly access_token?: string | undefined
  readonly refresh_token?: string | undefined
}

/** The app, and how it authenticates itself in a header. */
interface Client {
  readonly id: string
  readonly secret: string
  readonly basic: string
}

/** Sends the requests that revoke tokens, like Linchpin. Returns false if none of them succeeded. */
export async function sendRevocations(
  sandbox: Pick<TestSandbox, 'request'>,
  requests: readonly RevocationSpecification[],
  tokens: RevokedTokens,
  config: Config,
  client: Client,
): Promise<boolean> {
  let isRevoked = false
  for (const request of requests)
    for (const values of listTokenValues(request, tokens)) {
      const sent = { ...config, ...values, client_id: client.id, client_secret: client.secret }
      const response = await sandbox.request(...buildRequest(request, sent, client))
      isRevoked ||= isConfirmed(request, response)
    }
  return isRevoked
}

/** One request for each token, or one for both. */
function listTokenValues(
  request: RevocationSpecification,
  { refresh_token, access_token }: RevokedTokens,
): Config[] {
  const pair = { refresh_token, access_token }
  const names = listRevocationNames(request)
  if (!names.has('token')) return [pair]
  return Object.entries(pair).flatMap(([hint, token]) =>
    token === undefined ? [] : [{ token, token_type_hint: hint }],
  )
}

function buildRequest(
  { method = 'POST', url, query, headers, form, json, auth_method }: RevocationSpecification,
  values: Config,
  { id, secret, basic }: Client,
): Parameters<TestSandbox['request']> {
  const target = new URL(fillUrl(url, values))
  for (const [name, value] of Object.entries(fillDeep(query ?? {}, values)))
    target.searchParams.append(name, value)
  const credentials = auth_method === 'body' ? { client_id: id, client_secret: secret } : {}
  const body = { ...fillDeep(json ?? form ?? {}, values), ...credentials }
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
  return [
    target.href,
    {
      method,
      headers: {
        accept: 'application/json',
        ...((json ?? form) !== undefined && { 'content-type': type }),
        ...fillDeep(headers ?? {}, values),
        ...(auth_method === 'header' && { authorization: basic }),
      },
      ...((json ?? form) !== undefined && {
        body: json === undefined ? new URLSearchParams(body).toString() : JSON.stringify(body),
      }),
    },
  ]
}

function isConfirmed(
  { status, match = {} }: RevocationSpecification,
  response: SandboxResponse,
): boolean {
  const isExpected =
    status === undefined
      ? response.status >= 200 && response.status < 300
      : [status].flat().includes(response.status)
  return (
    isExpected &&
    Object.entries(match).every(([path, expected]) => {
      return getByPath(parseJson(response.body), path) === expected
    })
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
