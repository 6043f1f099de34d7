import type { Definition } from '../definition.ts'
import { getBaseUrl, getFacts, getLaterNames } from '../run/get-auth-method.ts'
import { isListed } from '../run/host-list.ts'
import { type Fields, isSecretField } from '../spec/field.ts'

/** Lints the declared hosts: spelling, and URLs that they do not cover. */
export function lintHosts(definition: Definition): string[] {
  const { hosts } = definition
  const malformed =
    hosts === 'any'
      ? []
      : hosts
          .filter((host) => !HOST.test(host))
          .map((host) => `host "${host}" must be a name such as api.example.com or *.example.com.`)
  const empty = hosts.length === 0 ? ['hosts must name at least one host.'] : []
  if (hosts === 'any' && definition.apiBaseUrl === undefined)
    return ['apiBaseUrl is required if hosts do not name a host.']
  const urls = Object.keys(definition.auth).flatMap((authType) => lintUrls(definition, authType))
  return [
    ...empty,
    ...malformed,
    ...lintHostScope(definition),
    ...new Set(urls),
    ...lintSecretsInUrls(definition),
  ]
}

/** URLs are written to logs, by proxies and providers. A secret in the query has `query` for it, which Linchpin redacts. */
function lintSecretsInUrls(definition: Definition): string[] {
  return Object.entries(definition.auth).flatMap(([authType, authMethod]) => {
    const fields: Fields = { ...definition.inputs, ...authMethod.fields }
    const secrets = [
      'access_token',
      'refresh_token',
      'client_secret',
      ...Object.keys(fields),
    ].filter((name) => fields[name] === undefined || isSecretField(fields[name]))
    const { authorization_url: authorize, authorization_params: params } = authMethod.spec
    const urls = [
      getBaseUrl(definition, authType),
      ...listPaths(definition, authType),
      ...authMethod.urls,
      ...(authorize === undefined ? [] : [authorize]),
      ...Object.values(params ?? {}).map(String),
    ]
    const found = secrets.filter((name) => urls.some((url) => url.includes(`\${${name}}`)))
    return found.map((name) => `${authType}: the secret ${name} must not be part of a URL.`)
  })
}

/** Fields that are part of a host name of any auth type. */
export function findHostPlaceholders(definition: Definition): ReadonlySet<string> {
  const hosts = listUrls(definition).map((url) => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? '')
  return new Set(hosts.flatMap((host) => [...host.matchAll(NAME)].map(([, name = '']) => name)))
}

/** Lints hosts that would send credentials to others than the provider. */
function lintHostScope(definition: Definition): string[] {
  const { hosts, auth, inputs } = definition
  if (hosts !== 'any')
    return hosts
      .filter((host) => SHARED_DOMAINS.test(host))
      .map((host) => `host ${host} is below a public domain: use the provider's own domain.`)
  const fields = Object.values({
    ...inputs,
    ...Object.assign({}, ...Object.values(auth).map((authMethod) => authMethod.fields)),
  }) as readonly Fields[string][]
  const asksForUrl = fields.some(({ property }) => property.format === 'uri')
  return asksForUrl ? [] : ["hosts: 'any' is for URLs that users enter: list the hosts."]
}

function listUrls(definition: Definition): string[] {
  return Object.entries(definition.auth).flatMap(([authType, authMethod]) => [
    getBaseUrl(definition, authType),
    ...listDeclaredUrls(definition, authType),
    ...authMethod.urls,
    ...(authMethod.spec.authorization_url === undefined ? [] : [authMethod.spec.authorization_url]),
  ])
}

const NAME = /\$\{([\w.-]+)\}/g

/** Public suffixes, and services where anyone can have a subdomain. */
const SHARED_DOMAINS =
  /^\*\.(?:(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}|amazonaws\.com|azurewebsites\.net|cloudfront\.net|firebaseapp\.com|github\.io|herokuapp\.com|netlify\.app|ngrok\.(?:io|app)|onrender\.com|pages\.dev|run\.app|vercel\.app|web\.app|workers\.dev)$/

const HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/

function lintUrls(definition: Definition, authType: string): string[] {
  const authMethod = definition.auth[authType]
  if (authMethod === undefined) return []
  const fields = { ...definition.inputs, ...authMethod.fields }
  const all = [
    getBaseUrl(definition, authType),
    ...listDeclaredUrls(definition, authType),
    ...authMethod.urls,
  ]
  const laterNames = getLaterNames(definition, authType)
  const { callback_params: callbackParams = [] } = authMethod.spec
  const fromCallback = callbackParams.filter((name) => !Object.hasOwn(fields, name))
  const authorizationUrl = authMethod.spec.authorization_url
  return [
    ...all.flatMap((url) => lintUrl(url, definition.hosts, fields, laterNames, fromCallback)),
    ...authMethod.urls.flatMap((url) => lintCallbackHost(url, definition.hosts, fromCallback)),
    // A browser opens this URL, so the hosts do not apply.
    ...(authorizationUrl === undefined ? [] : lintUrl(authorizationUrl, 'any', fields, [])),
  ]
}

/** An attacker can choose the parameters of the callback (RFC 9700, section 4.4): only hosts limits where they lead. */
function lintCallbackHost(
  url: string,
  hosts: Definition['hosts'],
  names: readonly string[],
): string[] {
  const origin = /^(?:\$\{[^}]*\}|https:\/\/[^/?#]*)/.exec(url)?.[0] ?? ''
  const name = names.find((each) => origin.includes(`\${${each}}`))
  if (name === undefined) return []
  if (hosts === 'any')
    return [`${name} comes from the callback and decides about a host: list the hosts.`]
  const [, start = '', end = ''] = /^https:\/\/([^$]*)\$.*\}([^}]*)$/.exec(origin) ?? []
  const isPossible = hosts.some((host) => host.startsWith(start) && host.endsWith(end))
  return isPossible ? [] : [`hosts do not cover ${start}…${end}.`]
}

function listDeclaredUrls(definition: Definition, authType: string): string[] {
  return listPaths(definition, authType).filter((path) => !path.startsWith('/'))
}

function listPaths(definition: Definition, authType: string): string[] {
  const authMethod = definition.auth[authType]
  const requests = [
    authMethod?.check ?? definition.check,
    authMethod?.identity ?? definition.identity,
    ...getFacts(definition, authType),
  ]
  return requests.flatMap((each) => {
    const path = typeof each === 'object' ? each.path : undefined
    return path === undefined ? [] : [path]
  })
}

function lintUrl(
  url: string,
  hosts: Definition['hosts'],
  fields: Fields,
  laterNames: readonly string[],
  fromCallback: readonly string[] = [],
): string[] {
  const start = /^\$\{([\w.-]+)\}/.exec(url)?.[1]
  if (start !== undefined) return lintUrlField(start, hosts, fields, laterNames)
  const host = /^https:\/\/([^/?#:]+)/.exec(url)?.[1]
  if (host === undefined)
    return [`${url} must be an absolute https URL, or a path that starts with /.`]
  const named = [...host.matchAll(/\$\{([\w.-]+)\}/g)].map(([, name = '']) => name)
  const unrestricted = named.filter((name) => {
    const property = fields[name]?.property
    return property?.pattern === undefined && property?.enum === undefined
  })
  const examples = named.reduce(
    (hosts, name) => {
      const values = fields[name]?.property.enum ?? [SAMPLE]
      return hosts.flatMap((each) =>
        values.map((value) => each.replaceAll(`\${${name}}`, String(value))),
      )
    },
    [host],
  )
  const isFromCallback = named.some((name) => fromCallback.includes(name))
  const uncovered =
    hosts === 'any' || isFromCallback ? [] : examples.filter((each) => !isListed(each, hosts))
  return [
    ...unrestricted
      .filter((name) => !laterNames.includes(name))
      .map(
        (name) => `${name} is part of a host name: give it a pattern that matches a single label.`,
      ),
    ...uncovered.map((each) => `hosts do not cover ${each.replace(SAMPLE, '…')}.`),
  ]
}

const SAMPLE = 'sample'

function lintUrlField(
  name: string,
  hosts: Definition['hosts'],
  fields: Fields,
  laterNames: readonly string[],
): string[] {
  if (laterNames.includes(name)) return []
  const format = fields[name]?.property.format
  return [
    ...(hosts === 'any' ? [] : [`${name} may be any URL: set hosts: 'any'.`]),
    ...(format === 'uri' ? [] : [`${name} starts a URL: declare it with url(…).`]),
  ]
}
