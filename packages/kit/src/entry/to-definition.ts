import { apiKey } from '../auth/api-key.ts'
import type { AuthMethod, AuthOptions } from '../auth/auth-method.ts'
import { basic } from '../auth/basic.ts'
import { clientCredentials } from '../auth/client-credentials.ts'
import { mcpServer } from '../auth/mcp-server.ts'
import { none } from '../auth/none.ts'
import { oauth2 } from '../auth/oauth2.ts'
import type { RevocationTemplate } from '../auth/revocation.ts'
import { twoStepLogin } from '../auth/two-step-login.ts'
import type { Definition } from '../definition.ts'
import type { DeclaredCheck, DeclaredIdentity, RequestTemplate } from '../spec/check-rules.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import type { Field, Fields } from '../spec/field.ts'
import { email, number, secret, select, text, url } from '../spec/fields.ts'
import type {
  Entry,
  EntryAuth,
  EntryAuthOptions,
  EntryCheck,
  EntryClientCredentials,
  EntryFact,
  EntryField,
  EntryFields,
  EntryIdentity,
  EntryLogin,
  EntryMcp,
  EntryOAuth2,
  EntryRequest,
  EntryRevocation,
} from './entry.ts'

/** The definition that an entry stands for. It contains no function of the entry: an entry has none. */
export function toDefinition(entry: Entry): Definition {
  const {
    $schema,
    runtime,
    register,
    aliases,
    base,
    fields,
    auth,
    check,
    identity,
    after,
    ...same
  } = entry
  return {
    ...same,
    ...(base !== undefined && { apiBaseUrl: base }),
    ...(fields !== undefined && { inputs: toFields(fields) }),
    auth: mapValues(auth, toAuthMethod),
    check: toCheck(check),
    ...(identity !== undefined && { identity: toIdentity(identity) }),
    ...(after !== undefined && { after: after.map(toDeclaredFact) }),
  }
}

function toAuthMethod(auth: EntryAuth): AuthMethod {
  if ('authorize' in auth) return toOAuth2(auth)
  if ('mcp' in auth) return toMcp(auth)
  if ('clientCredentials' in auth) return toClientCredentials(auth)
  if ('login' in auth) return toLogin(auth)
  const { fields, options, headers, query } = split(auth)
  if ('basic' in auth) {
    const [username = '', ...password] = auth.basic.split(':')
    return basic({ ...options, fields, username, password: password.join(':') })
  }
  if (headers === undefined && query === undefined) return none({ ...options, fields })
  return apiKey({
    ...options,
    fields,
    ...(headers !== undefined && { headers }),
    ...(query !== undefined && { query }),
  })
}

function toOAuth2(auth: EntryOAuth2): AuthMethod {
  const { fields, options, headers, query } = split(auth)
  const { scopes } = auth
  // Undefined members are dropped when SPEC is serialized.
  return oauth2({
    ...options,
    fields,
    ...(headers !== undefined && { headers }),
    ...(query !== undefined && { query }),
    authorizationUrl: auth.authorize,
    tokenUrl: auth.token,
    ...defined({
      scopes: scopes?.default,
      scopeSeparator: scopes?.separator,
      grantedScopes: auth.grantedScopes,
      requiredScopes: auth.requiredScopes,
      scopeErrors: auth.scopeErrors,
      incremental: auth.incremental,
      pkce: auth.pkce,
      authorizationParams: auth.authorizeParams,
      tokenParams: auth.tokenParams,
      refreshParams: auth.refreshParams,
      refreshUrl: auth.refreshUrl,
      renew: auth.renew,
      ...toRevocation(auth.revoke),
      revokes: auth.revokes,
      parUrl: auth.par,
      callbackParams: auth.callbackParams,
      tokenResponseParams: auth.tokenResponse,
      paramNames: auth.paramNames,
      redirectName: auth.redirectName,
      appSetup: auth.appSetup,
      clientAuthentication: auth.client,
      bodyFormat: auth.body,
      issuer: auth.issuer,
      refresh: auth.refresh,
      refreshErrors: auth.refreshErrors,
    }),
  })
}

function toMcp(auth: EntryMcp): AuthMethod {
  const { fields, options, headers, query } = split(auth)
  const { mcp: serverUrl, scopes } = auth
  return mcpServer({
    ...options,
    fields,
    serverUrl,
    ...defined({
      headers,
      query,
      scopes: scopes?.default,
      scopeSeparator: scopes?.separator,
    }),
  })
}

function toRevocation(revoke: EntryOAuth2['revoke']) {
  if (revoke === undefined || typeof revoke === 'string') return { revocationUrl: revoke }
  return { revocation: [revoke].flat().map(toRevocationTemplate) }
}

function toRevocationTemplate(request: EntryRevocation): RevocationTemplate {
  const { get, post, delete: remove, json, client, ...same } = request
  const method = get === undefined ? (remove === undefined ? undefined : 'DELETE') : 'GET'
  return {
    ...same,
    url: get ?? remove ?? post ?? '',
    ...defined({ method, body: json, clientAuthentication: client } as const),
  }
}

function toClientCredentials(auth: EntryClientCredentials): AuthMethod {
  const { token, scopes, params, client, body } = auth.clientCredentials
  const { fields, options, headers, query } = split(auth)
  return clientCredentials({
    ...options,
    fields,
    tokenUrl: token,
    ...defined({
      headers,
      query,
      scopes: scopes?.default,
      scopeSeparator: scopes?.separator,
      params,
      clientAuthentication: client,
      bodyFormat: body,
    }),
  })
}

function toLogin(auth: EntryLogin): AuthMethod {
  const { basic: proof, token, ...request } = auth.login
  const { fields, options, headers, query } = split(auth)
  const { path, ...login } = toRequest(request)
  return twoStepLogin({
    ...options,
    fields,
    login: { url: path ?? '', ...login, ...(proof !== undefined && { basic: proof }) },
    ...defined({ token, headers, query }),
  })
}

/** What every method has in common. */
function split({ base, fields = {}, check, identity, after, headers, query }: EntryAuthOptions) {
  const options: AuthOptions = {
    ...(base !== undefined && { apiBaseUrl: base }),
    ...(check !== undefined && { check: toCheck(check) }),
    ...(identity !== undefined && { identity: toIdentity(identity) }),
    ...(after !== undefined && { after: after.map(toDeclaredFact) }),
  }
  return { fields: toFields(fields), options, headers, query }
}

function toFields(fields: EntryFields): Fields {
  return mapValues(fields, toField)
}

function toField(field: EntryField): Field {
  const { title, type = 'text', secret: isSecret, values, ...options } = field
  if (values !== undefined) return select(title, values, options as { default?: string })
  if (type === 'number') return number(title, options as { default?: number })
  const shown = options as { default?: string }
  if (type === 'text') return isSecret ? secret(title, shown) : text(title, shown)
  const create = type === 'url' ? url : email
  return create(title, isSecret ? { ...shown, isSecret } : shown)
}

function toCheck({ expect, ok, errors, ...request }: EntryCheck): DeclaredCheck {
  const { path = '', ...sent } = toRequest(request)
  return { path, ...sent, ...defined({ expect, ok, errors }) }
}

function toIdentity({ id, label, avatarUrl, scopes, ...request }: EntryIdentity): DeclaredIdentity {
  return { ...toRequest(request), id, label, ...defined({ avatarUrl, scopes }) }
}

function toDeclaredFact(fact: EntryFact): DeclaredFact {
  const { get, post, query, headers, json, form, ...same } = fact
  const request = defined({ get, post, query, headers, json, form })
  return { ...same, ...toRequest(request) }
}

function toRequest(request: EntryRequest): Partial<RequestTemplate> {
  const { get, post, json, ...same } = request
  const path = get ?? post
  return {
    ...same,
    ...(path !== undefined && { path }),
    ...(post !== undefined && { method: 'POST' }),
    ...(json !== undefined && { body: json }),
  }
}

function mapValues<T, U>(all: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]))
}

/** Without the members that are undefined. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
