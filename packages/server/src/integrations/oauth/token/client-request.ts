import type {
  EgressGateway,
  EgressPolicy,
  EgressRequest,
  EgressResponse,
  GuardedSecret,
  Tenant,
} from '@linchpin/runner'
import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'
import { renameParams } from '../spec/parse-oauth-type.ts'

/** A client as registered at the provider. Never sent to anyone else. */
export type OAuthClient = PublicClient | ConfidentialClient

/** A client without a secret. */
export interface PublicClient {
  readonly clientId: string
  readonly clientSecret?: undefined
}

/** A client with a secret, and the endpoints that may receive the secret. */
export interface ConfidentialClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly endpoints: SecretEndpointPolicy
}

/** Decides which endpoints may receive a client secret. */
export interface SecretEndpointPolicy {
  /** Whether the secret may be sent to this URL. */
  allows(url: string): boolean
  /** Rejects with an ApiError unless the secret may be sent to this URL. */
  requireAllowed(url: string): Promise<void>
}

/** For a secret that is not bound to endpoints: one from the config of an account without an OAuth app. */
export const ANY_ENDPOINT: SecretEndpointPolicy = {
  allows: () => true,
  requireAllowed: async () => {},
}

/** A request of a client to an endpoint of its provider. */
export interface ClientRequest {
  /** Default: POST. */
  readonly method?: 'DELETE' | 'GET' | 'POST'
  readonly url: string
  readonly type: Pick<OAuthType, 'authorizationMethod' | 'hosts' | 'paramNames'>
  readonly headers?: ParamList
  /** `none`: no body. */
  readonly bodyFormat: OAuthType['bodyFormat'] | 'none'
  readonly client: OAuthClient
  /** Where the client is authenticated; `none`: not at all. Default: as the type says. */
  readonly authentication?: OAuthType['authorizationMethod'] | 'none'
  /** The parameters in the body. */
  readonly params: ParamList
  /** Further values that must not be recorded: those in the URL, and those in parts whose names do not tell. */
  readonly secrets?: unknown
  readonly tenant?: Tenant | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request with client authentication (RFC 6749 section 2.3.1). All requests that carry a client secret go through
 * this function, which allows only the endpoints of the client and the hosts of the spec's `x-hosts`.
 *
 * @throws ApiError if the client's endpoints do not include the URL, before anything is sent
 * @throws EgressError
 */
export async function sendClientRequest(
  { egressGateway }: { readonly egressGateway: EgressGateway },
  request: ClientRequest,
): Promise<EgressResponse> {
  const { client, url, type, headers, params, tenant, signal } = request
  if (client.clientSecret !== undefined && containsSecret(request, client.clientSecret))
    await client.endpoints.requireAllowed(url)
  return egressGateway.request(toHttpRequest(request), {
    ...OAUTH_POLICY,
    hosts: type.hosts,
    // By name: a name is no secret, and neither is the value of `grant_type`.
    secrets: () => [
      client.clientSecret,
      Object.fromEntries(headers ?? []),
      Object.fromEntries(params),
      request.secrets,
    ],
    tenant,
    signal,
  })
}

/** A request without client authentication may still name the secret in a template. */
function containsSecret(
  { authentication, url, headers = [], params }: ClientRequest,
  secret: string,
): boolean {
  if (authentication !== 'none') return true
  const sent = [...headers, ...params, ...new URL(url).searchParams]
  return sent.some(([, value]) => value.includes(secret))
}

/** Egress policy for all OAuth requests (quality 3.6). */
const OAUTH_POLICY = {
  purpose: 'oauth',
  timeoutMs: 9_000,
  maxResponseBytes: 64 * 1024,
  maxRedirects: 0,
  decompress: true,
} as const satisfies EgressPolicy

function toHttpRequest(request: ClientRequest): EgressRequest {
  const { url, type, bodyFormat, client, params, authentication } = request
  const { clientId, clientSecret } = client
  const method = authentication ?? type.authorizationMethod
  const usesBasicAuth = method === 'header' && Boolean(clientSecret)
  const hasClientId = params.some(([name]) => name === 'client_id')
  const allParams: ParamList =
    usesBasicAuth || method === 'none'
      ? params
      : [
          ...params,
          ...(hasClientId ? [] : [['client_id', clientId] as const]),
          ...(clientSecret ? [['client_secret', clientSecret] as const] : []),
        ]
  const sentParams = renameParams(allParams, type)
  const isJson = bodyFormat === 'json'
  const contentType = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
  return {
    method: request.method ?? 'POST',
    url,
    headers: {
      accept: 'application/json',
      ...(bodyFormat !== 'none' && { 'content-type': contentType }),
      ...toHeaders(request.headers),
      ...(usesBasicAuth && {
        authorization: buildBasicAuthorization(clientId, clientSecret ?? ''),
      }),
    },
    ...(bodyFormat !== 'none' && {
      body: Buffer.from(isJson ? buildJsonBody(sentParams) : buildFormBody(sentParams)),
    }),
  }
}

/** Names in lower case, so that a header of the spec replaces ours. */
function toHeaders(headers: ParamList = []): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
}

/** RFC 6749 section 2.3.1: form-encode both parts first. Unreserved characters stay as they are for lenient servers. */
function buildBasicAuthorization(clientId: string, clientSecret: string): string {
  const credentials = `${encodeFormValue(clientId)}:${encodeFormValue(clientSecret)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function encodeFormValue(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function buildFormBody(params: ParamList): string {
  return new URLSearchParams(
    params.map(([name, value]): [string, string] => [name, value]),
  ).toString()
}

/** Groups repeated names into a list. */
function buildJsonBody(params: ParamList): string {
  const grouped = Map.groupBy(params, ([name]) => name)
  const entries = [...grouped].map(([name, items]) => {
    const values = items.map(([, value]) => value)
    return [name, values.length === 1 ? values[0] : values] as const
  })
  return JSON.stringify(Object.fromEntries(entries))
}

/** Guards a client secret during one or more calls of a bundle. */
export interface SecretGuard extends GuardedSecret {
  /** Throws the error of a denied request, which takes precedence over the call's own result. No-op if all were allowed. */
  throwIfDenied(): void
}

/** Undefined if the client has no secret. */
export function guardSecret(client: OAuthClient | undefined): SecretGuard | undefined {
  if (client?.clientSecret === undefined) return undefined
  const { clientSecret: value, endpoints } = client
  let denial: Promise<void> | undefined
  let deniedError: unknown
  const checkEndpoint = async (url: string) => {
    try {
      await endpoints.requireAllowed(url)
    } catch (error) {
      deniedError = error
      throw error
    }
  }
  return {
    value,
    async requireAllowed(url) {
      if (endpoints.allows(url)) return
      // Record one denial even if the call tries several endpoints.
      denial ??= checkEndpoint(url)
      await denial
    },
    throwIfDenied() {
      if (deniedError !== undefined) throw deniedError
    },
  }
}

/** Returns the configuration with the credentials of `client` in place of its own; a plain copy without a client. */
export function withClientCredentials(
  config: Readonly<Record<string, unknown>>,
  client: OAuthClient | undefined,
): Record<string, unknown> {
  if (client === undefined) return { ...config }
  const { clientId, clientSecret } = client
  return {
    ...config,
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  }
}
