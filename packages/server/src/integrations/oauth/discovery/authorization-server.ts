import { createStandardRevocation } from '@linchpin/kit/entry'
import type { JsonObject } from '../../../platform/json.ts'
import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'

/**
 * What Linchpin uses of the metadata of an authorization server (RFC 8414 section 2). Serialized as JSON in sessions and OAuth apps:
 * its keys are a storage format.
 */
export interface AuthorizationServer {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string
  readonly registrationEndpoint?: string
  /** Only if the server requires pushed authorization requests (RFC 9126). */
  readonly pushedRequestEndpoint?: string
  /** Whether every authorization response has `iss` (RFC 9207). */
  readonly isIssAdvertised: boolean
  /** How clients may authenticate at the token endpoint. */
  readonly authMethods: readonly string[]
  /** Whether a client ID may be the URL of a metadata document. */
  readonly acceptsDocuments: boolean
  /** Whether `offline_access` may be requested. */
  readonly hasOfflineAccess: boolean
}

/** A server whose tokens Linchpin requests, and the authorization server that issues them. */
export interface DiscoveredServer {
  /** Sent as `resource` (RFC 8707). Tokens are sent to its origin only. */
  readonly resource: string
  readonly server: AuthorizationServer
  /** The scopes that the server names. */
  readonly scopes: readonly string[]
}

/** Metadata that are not usable. The message names what is wrong with them, to follow their URL, and ends with a period. */
export class MetadataError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MetadataError'
  }
}

/**
 * Reads the metadata of an authorization server. A document is that of its issuer only if it says so itself (RFC 8414 section 3.3),
 * or a server could make clients send codes and tokens to another one's endpoints.
 *
 * @throws MetadataError
 */
export function parseAuthorizationServer(
  document: JsonObject,
  issuer: string,
): AuthorizationServer {
  if (document.issuer !== issuer)
    throw new MetadataError(`has the issuer ${quote(document.issuer)}, not ${quote(issuer)}.`)
  if (!readTexts(document.code_challenge_methods_supported).includes('S256'))
    throw new MetadataError('does not list S256 in code_challenge_methods_supported.')
  const revocationEndpoint = readEndpoint(document, 'revocation_endpoint')
  const registrationEndpoint = readEndpoint(document, 'registration_endpoint')
  const pushedRequestEndpoint = readEndpoint(document, 'pushed_authorization_request_endpoint')
  const requiresPush = document.require_pushed_authorization_requests === true
  if (requiresPush && pushedRequestEndpoint === undefined)
    throw new MetadataError('has no pushed_authorization_request_endpoint, but requires it.')
  return {
    issuer,
    authorizationEndpoint: requireEndpoint(document, 'authorization_endpoint'),
    tokenEndpoint: requireEndpoint(document, 'token_endpoint'),
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    ...(registrationEndpoint === undefined ? {} : { registrationEndpoint }),
    ...(requiresPush && pushedRequestEndpoint !== undefined ? { pushedRequestEndpoint } : {}),
    isIssAdvertised: document.authorization_response_iss_parameter_supported === true,
    authMethods: readAuthMethods(document.token_endpoint_auth_methods_supported),
    acceptsDocuments: document.client_id_metadata_document_supported === true,
    hasOfflineAccess: readTexts(document.scopes_supported).includes('offline_access'),
  }
}

/** RFC 8414 section 2: the default is `client_secret_basic`. */
function readAuthMethods(value: unknown): readonly string[] {
  return value === undefined ? ['client_secret_basic'] : readTexts(value)
}

/** The endpoints to which requests of a client go. */
export function listEndpoints(server: AuthorizationServer): string[] {
  const { tokenEndpoint, revocationEndpoint, registrationEndpoint, pushedRequestEndpoint } = server
  return [tokenEndpoint, revocationEndpoint, registrationEndpoint, pushedRequestEndpoint].filter(
    (url) => url !== undefined,
  )
}

/** The origins to which a client secret may be sent. */
export function listSecretOrigins(server: AuthorizationServer): string[] {
  return [...new Set(listEndpoints(server).map((url) => new URL(url).origin))].sort()
}

/**
 * The OAuth type with the endpoints of a server, for which its tokens are requested. Without a resource, as for the test of a client,
 * `resource` is not sent.
 */
export function bindToServer(
  type: OAuthType,
  { resource, server, scopes = [] }: Partial<DiscoveredServer> & Pick<DiscoveredServer, 'server'>,
): OAuthType {
  const { authorizationEndpoint, tokenEndpoint, revocationEndpoint } = server
  const method = getAuthMethod(server)
  const withResource = (params: ParamList): ParamList => [
    ...params.filter(([name]) => name.toLowerCase() !== 'resource'),
    ...(resource === undefined ? [] : [['resource', resource] as const]),
  ]
  return {
    ...type,
    authorizationUrl: authorizationEndpoint,
    tokenUrl: tokenEndpoint,
    refreshUrl: tokenEndpoint,
    revocation:
      revocationEndpoint === undefined
        ? []
        : [createStandardRevocation(revocationEndpoint, method)],
    pushedRequestUrl: server.pushedRequestEndpoint,
    authorizationParams: withResource(type.authorizationParams),
    tokenParams: withResource(type.tokenParams),
    refreshParams: withResource(type.refreshParams),
    defaultScopes: type.defaultScopes.length > 0 ? type.defaultScopes : scopes,
    authorizationMethod: method,
  }
}

/** Where a client with a secret authenticates; that of a public client is `client_id` in the body (RFC 6749 section 3.2.1). */
function getAuthMethod({ authMethods }: AuthorizationServer): OAuthType['authorizationMethod'] {
  const isBodyOnly =
    authMethods.includes('client_secret_post') && !authMethods.includes('client_secret_basic')
  return isBodyOnly ? 'body' : 'header'
}

function requireEndpoint(document: JsonObject, name: string): string {
  const url = readEndpoint(document, name)
  if (url === undefined) throw new MetadataError(`has no ${name}.`)
  return url
}

function readEndpoint(document: JsonObject, name: string): string | undefined {
  const value = document[name]
  if (value === undefined || value === null) return undefined
  const url = typeof value === 'string' ? parsePlainUrl(value) : undefined
  if (url === undefined)
    throw new MetadataError(`has the ${name} ${quote(value)}, which is not a plain URL.`)
  return url.href
}

/**
 * A URL without user, password and fragment; undefined for anything else. Also for one with `${`, which the spec's templates would
 * fill with the configuration.
 */
export function parsePlainUrl(text: string): URL | undefined {
  const isPlain = text.length <= MAX_URL_LENGTH && !/[\s\\#]|\$\{/.test(text)
  const url = isPlain ? URL.parse(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return url.username === '' && url.password === '' ? url : undefined
}

const MAX_URL_LENGTH = 2_048

/** The texts of a list; empty for anything else. */
export function readTexts(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, MAX_TEXTS).filter((each): each is string => typeof each === 'string')
}

const MAX_TEXTS = 200

/** A value of a document of others, in a sentence of ours. */
export function quote(value: unknown): string {
  return (JSON.stringify(value) ?? 'none').slice(0, 200)
}
