import { EgressError, type EgressGateway, type Tenant } from '@linchpin/runner'
import { isJsonObject, type JsonObject, parseJson } from '../../platform/json.ts'
import { type AuthorizationServer, quote } from '../oauth/discovery/authorization-server.ts'
import { createMcpServerInvalidError } from '../oauth/discovery/discover-server.ts'
import { sanitizeMessage } from '../oauth/token-response/response-error.ts'
import { APP_TEXTS } from './schemas.ts'

/** A client that an authorization server has registered. */
export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret: string | undefined
}

const STEP = 'client registration'

/**
 * Registers the client that `describeClient` describes (RFC 7591). Sends one request. A public one if the server has such clients: PKCE protects its codes, and there is
 * no secret that could expire.
 *
 * @throws ApiError `mcp_server_invalid` with what the server says against it
 */
export async function registerClient(
  { egressGateway }: { readonly egressGateway: EgressGateway },
  { authMethods, registrationEndpoint: url = '' }: AuthorizationServer,
  client: JsonObject,
  options: { readonly tenant: Tenant; readonly hosts: readonly string[] | undefined },
): Promise<RegisteredClient> {
  const method = SUPPORTED_METHODS.find((name) => authMethods.includes(name))
  if (method === undefined)
    throw createMcpServerInvalidError(
      STEP,
      `${url} accepts none of the client authentication methods ${SUPPORTED_METHODS.join(', ')}.`,
    )
  const metadata = { ...client, token_endpoint_auth_method: method }
  const request = {
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(metadata)),
  }
  try {
    const { status, body } = await egressGateway.request(request, { ...POLICY, ...options })
    const response = parseJson(Buffer.from(body).toString())
    const fields = isJsonObject(response) ? response : {}
    if (status === 200 || status === 201) return readClient(url, fields, method)
    // RFC 7591 section 3.2.2.
    const description = sanitizeMessage(String(fields.error_description ?? ''), {})
    const reason = [quote(fields.error), ...(description === '' ? [] : [description])].join(', ')
    throw createMcpServerInvalidError(
      STEP,
      `${url} rejects the client with status ${status}: ${reason.replace(/\.$/, '')}.`,
    )
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw createMcpServerInvalidError(STEP, `${url}: ${error.message}`, error)
  }
}

/** The preferred one first. */
const SUPPORTED_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const

const POLICY = {
  purpose: 'oauth',
  timeoutMs: 9_000,
  maxResponseBytes: 64 * 1024,
  maxRedirects: 0,
  decompress: true,
} as const

/** RFC 7591 section 3.2.1. What a server issues has the limits of what a person enters. */
function readClient(url: string, fields: JsonObject, method: string): RegisteredClient {
  const clientId = readText(fields.client_id, APP_TEXTS.clientId)
  const clientSecret = readText(fields.client_secret, APP_TEXTS.clientSecret)
  if (clientId === undefined)
    throw createMcpServerInvalidError(
      STEP,
      `${url} returns ${quote(fields.client_id)} as client_id, which is not usable.`,
    )
  if (method === 'none') return { clientId, clientSecret: undefined }
  if (clientSecret === undefined)
    throw createMcpServerInvalidError(STEP, `${url} returns no usable client_secret.`)
  return { clientId, clientSecret }
}

function readText(
  value: unknown,
  { maxLength, pattern }: (typeof APP_TEXTS)[keyof typeof APP_TEXTS],
): string | undefined {
  const isUsable =
    typeof value === 'string' && value.length <= maxLength && new RegExp(pattern).test(value)
  return isUsable ? value : undefined
}
