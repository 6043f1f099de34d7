import type { InputProperty, Spec } from '@linchpin/runner'
import { listConfigFields } from '../../accounts/accounts/credentials/account-config.ts'
import {
  isMasked,
  listPromptFields,
} from '../../accounts/accounts/credentials/list-prompt-fields.ts'
import { listEnumOptions } from '../../accounts/accounts/credentials/validate-config.ts'
import { listAuthUrls } from '../../integrations/oauth/spec/endpoint-templates.ts'
import { parseOAuthType } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import { PLACEHOLDER } from '../../integrations/oauth/template.ts'
import { fieldError, validationFailed } from '../../platform/errors.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { ConnectSession, GivenField } from './connect-session.ts'
import type { CreateConnectSession } from './schemas.ts'

/** The values that a session gives, by field. */
export type GivenValues = Readonly<Record<string, string | number | boolean>>

/**
 * Parses the given values of a new session.
 *
 * @throws ApiError `validation_failed` for values that no form has, and hidden fields without a value
 */
export function parseGivenConfig({ config, hiddenConfig }: CreateConnectSession): {
  readonly fields: readonly GivenField[]
  readonly values: GivenValues
} {
  const entries = Object.entries(config ?? {})
  const values: Record<string, string | number | boolean> = {}
  for (const [name, value] of entries) {
    values[name] = parseGivenValue(name, value)
  }
  const hidden = new Set(hiddenConfig ?? [])
  for (const name of hidden)
    if (!Object.hasOwn(values, name))
      throw validationFailed(
        fieldError('hiddenConfig', 'invalid', 'Must list only fields of config.'),
      )
  const fields = entries.map(([name]) => ({ name, hidden: hidden.has(name) }))
  return { fields, values }
}

function parseGivenValue(name: string, value: unknown): string | number | boolean {
  const invalid = (message: string) =>
    validationFailed(fieldError(`config.${name}`, 'invalid', message))
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'string') throw invalid('Must be a text, a number or a boolean.')
  if (value.length > MAX_LENGTH) throw invalid(`Must NOT have more than ${MAX_LENGTH} characters.`)
  if (value.includes('\0')) throw invalid('Must not contain NUL.')
  return value
}

/** As for a token: what accounts can have, sessions can give. */
const MAX_LENGTH = 16_384

type SessionKey = Pick<ConnectSession, 'connectSessionId' | 'workspaceId'>

/** Encrypts the given values; null without any. */
export async function sealGivenConfig(
  vault: Vault,
  session: SessionKey,
  values: GivenValues,
): Promise<Uint8Array | null> {
  if (Object.keys(values).length === 0) return null
  return vault.seal(createEncryptionContext(session), JSON.stringify(values))
}

/** Decrypts the given values of a session. @throws VaultError if they were modified or moved */
export async function openGivenConfig(vault: Vault, session: ConnectSession): Promise<GivenValues> {
  if (session.sealedConfig === null) return {}
  const text = await vault.openText(createEncryptionContext(session), session.sealedConfig)
  return JSON.parse(text) as GivenValues
}

function createEncryptionContext({ connectSessionId, workspaceId }: SessionKey) {
  return {
    table: 'connect_sessions',
    column: 'sealed_config',
    workspaceId,
    rowId: connectSessionId,
  }
}

/** What the fields of a form have to do with where its values are sent. Names of fields. */
export interface FormDestinations {
  /** The fields that may choose a host. */
  readonly hostFields: readonly string[]
  /** The fields whose values the form never shows. */
  readonly maskedFields: ReadonlySet<string>
  /** The other fields whose values could be secrets: all but those whose values the spec lists. */
  readonly freeFields: ReadonlySet<string>
}

/**
 * Reads which fields of an auth type may choose a host (decision 021): those in the host of a URL of the spec. If the spec
 * does not limit the hosts of its code, only the code knows which fields these are. Then all of them count that may
 * contain a host, except secrets.
 */
export function readFormDestinations(spec: Spec, authType: string): FormDestinations {
  const fields = listConfigFields(spec, authType)
  const type = parseOAuthType(spec, authType)
  const shown = fields && type ? listPromptFields(fields, type) : fields
  const all = [...(shown?.properties ?? [])]
  const masked = all.filter(([name, property]) => isMasked(name, property))
  const free = all.filter(([, property]) => !isChoice(property))
  const maskedFields = new Set(masked.map(([name]) => name))
  const inTemplates = listHostPlaceholders(spec, authType)
  const isAnyHostPossible = !limitsHosts(spec, inTemplates)
  const isHostField = ([name, property]: readonly [string, InputProperty]) =>
    inTemplates.has(name) ||
    (isAnyHostPossible && mayContainHost(property) && (!maskedFields.has(name) || isUrl(property)))
  return {
    maskedFields,
    freeFields: new Set(free.map(([name]) => name)),
    hostFields: all.filter(isHostField).map(([name]) => name),
  }
}

/**
 * Finds a given value that the visitor of a session does not see, and the field with which the visitor could choose the host
 * that receives it. Undefined if the session gives no such value, or every field that may choose a host.
 */
export function findExposedSecret(
  { hostFields, maskedFields, freeFields }: FormDestinations,
  given: readonly GivenField[],
): { readonly secret: string; readonly hostField: string } | undefined {
  const secret = given.find(({ name, hidden }) => {
    // `proxy.password` is a value of the field `proxy`.
    const [field = name] = maskedFields.has(name) || freeFields.has(name) ? [name] : name.split('.')
    return maskedFields.has(field) || (hidden && freeFields.has(field))
  })
  const hostField = hostFields.find((field) => !given.some(({ name }) => name === field))
  return secret && hostField !== undefined ? { secret: secret.name, hostField } : undefined
}

/** The names of fields in the host of any URL of an auth type. */
function listHostPlaceholders(spec: Spec, authType: string): ReadonlySet<string> {
  const auth = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]
    : undefined
  const urls = [auth?.api_base_url, spec.api_base_url, ...listAuthUrls(auth)]
  const hosts = urls.map((url) => (typeof url === 'string' ? (HOST.exec(url)?.[0] ?? '') : ''))
  const matches = hosts.flatMap((host) => [...host.matchAll(PLACEHOLDER)])
  return new Set(matches.flatMap(([, name]) => name ?? []))
}

/** Scheme and authority, or the field that contains a whole base URL. */
const HOST = /^\s*(?:\$\{[^}]*\}|https?:\/\/[^/?#]*)/i

/** Whether `x-hosts` lists the hosts of the code, or the subdomains that the URLs of the spec select with fields. */
function limitsHosts(spec: Spec, inTemplates: ReadonlySet<string>): boolean {
  const hosts = spec['x-hosts']
  if (hosts === undefined) return false
  return inTemplates.size > 0 || hosts.every((host) => !host.startsWith('*'))
}

function isChoice(property: InputProperty): boolean {
  return getType(property) === 'boolean' || listEnumOptions(property) !== undefined
}

/** A number may only be a port or a part of a path. */
function mayContainHost(property: InputProperty): boolean {
  const isNumber = /^(?:integer|number)$/.test(getType(property) ?? '')
  return !isNumber && !isChoice(property)
}

function isUrl({ format }: InputProperty): boolean {
  return /^(?:uri|url|iri|hostname|idn-hostname|ipv[46])/.test(format ?? '')
}

/** The only type besides null. */
function getType({ type }: InputProperty): string | undefined {
  const types = [type ?? []].flat().filter((one) => one !== 'null')
  return types.length === 1 ? types[0] : undefined
}
