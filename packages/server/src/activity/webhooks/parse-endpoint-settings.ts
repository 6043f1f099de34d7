import { EgressError, type EgressGateway } from '@linchpin/runner'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { isEventTypePattern } from '../events/event.ts'
import { sealEndpointHeaders } from './endpoint-secrets.ts'
import type { CreateWebhookEndpoint, UpdateWebhookEndpoint } from './schemas.ts'
import type { EndpointSettings, WebhookEndpoint } from './webhook-endpoint.ts'

export interface ParseEndpointSettingsDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly egressGateway: EgressGateway
  readonly vault: Vault
}

/**
 * Validates the given fields of an endpoint. Headers are sealed for it.
 *
 * @throws ApiError `validation_failed`, `unknown_reference`, `webhook_url_forbidden`
 */
export async function parseEndpointSettings(
  deps: ParseEndpointSettingsDeps,
  access: WorkspaceAccess,
  endpoint: Pick<WebhookEndpoint, 'endpointId' | 'workspaceId'>,
  input: CreateWebhookEndpoint | UpdateWebhookEndpoint,
): Promise<Partial<EndpointSettings>> {
  const { url, description, types, payload, version, ordering, signature, maxInFlight } = input
  const { headers, integrationDefinitionIds: definitionIds } = input
  if (types != null) assertKnownTypes(types)
  if (headers != null) assertHeadersAllowed(headers)
  if (definitionIds != null)
    await assertDefinitionsExist(deps, access, endpoint.workspaceId, definitionIds)
  return {
    ...(url == null ? {} : { url: await parseEndpointUrl(deps, endpoint.workspaceId, url) }),
    ...(description == null ? {} : { description }),
    ...(types == null ? {} : { types: types.length === 0 ? null : types }),
    ...(definitionIds == null
      ? {}
      : { definitionIds: definitionIds.length === 0 ? null : definitionIds }),
    ...(payload == null ? {} : { payload }),
    ...(version == null ? {} : { version }),
    ...(ordering == null ? {} : { ordering }),
    ...(signature == null ? {} : { signature }),
    ...(maxInFlight == null ? {} : { maxInFlight }),
    ...(headers == null ? {} : await sealEndpointHeaders(deps.vault, endpoint, headers)),
  }
}

/** The egress gateway validates the address, and again with each delivery. http needs an entry in its allow list. */
async function parseEndpointUrl(
  { egressGateway }: Pick<ParseEndpointSettingsDeps, 'egressGateway'>,
  workspaceId: WorkspaceId,
  text: string,
): Promise<string> {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\/[^/?#\\]/i.test(text) || /[\s\\]/.test(text))
    throw urlForbidden('Must be an absolute URL, such as https://app.example.com/hooks.')
  if (url.username !== '' || url.password !== '' || text.includes('#'))
    throw urlForbidden('Must not contain a user name, a password or a fragment.')
  try {
    await egressGateway.validate(url.href, {
      purpose: 'webhook',
      tenant: { workspaceId },
      timeoutMs: RESOLVE_TIMEOUT_MS,
    })
  } catch (error) {
    // An address that cannot be validated now is validated with each delivery.
    if (error instanceof EgressError && error.code === 'refused')
      throw urlForbidden(NOT_PUBLIC, error)
    if (!(error instanceof EgressError)) throw error
  }
  return url.href
}

/** The same for all refused addresses, so that it reveals nothing about the network. */
const NOT_PUBLIC =
  'Must be https on a host that exists and is public. For a receiver on your own machine, run `linchpin events listen --forward-to URL`, or allow its address with LINCHPIN_EGRESS_ALLOW=webhook=HOST:PORT.'

const RESOLVE_TIMEOUT_MS = 5_000

function urlForbidden(message: string, cause?: unknown): ApiError {
  const errors = fieldError('url', 'forbidden', message)
  return new ApiError('webhook_url_forbidden', `url: ${message}`, { errors, cause })
}

function assertKnownTypes(types: readonly string[]): void {
  const unknown = types.flatMap((type, index) =>
    isEventTypePattern(type)
      ? []
      : [
          fieldError(
            `types.${index}`,
            'unknown',
            'Not a type of event, nor a prefix like account.*.',
          ),
        ],
  )
  if (unknown.length > 0) throw validationFailed(Object.assign({}, ...unknown))
}

async function assertDefinitionsExist(
  { database, definitions }: ParseEndpointSettingsDeps,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  ids: readonly DefinitionId[],
): Promise<void> {
  for (const [index, id] of ids.entries())
    if (
      !isId('def', id) ||
      (await definitions.findLive(database.read, access, workspaceId, id)) === undefined
    )
      throw unknownReference(`integrationDefinitionIds.${index}`)
}

function assertHeadersAllowed(headers: Readonly<Record<string, string>>): void {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  if (new Set(names).size < names.length)
    throw headersInvalid(
      'repeated',
      'Must not contain two headers whose names differ only in case.',
    )
  if (names.some((name) => !TOKEN.test(name)))
    throw headersInvalid('invalid', 'Names must be at most 100 letters, digits and hyphens.')
  if (names.some((name) => RESERVED.test(name)))
    throw headersInvalid(
      'reserved',
      'Must not contain headers of the connection or the body, User-Agent, webhook-* and linchpin-*.',
    )
}

function headersInvalid(code: string, message: string): ApiError {
  return validationFailed(fieldError('headers', code, message))
}

const TOKEN = /^[a-z0-9-]{1,100}$/
/** Hop-by-hop headers (RFC 9110, section 7.6.1), those that frame or describe the body, and ours. */
const RESERVED =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|expect|date|accept-encoding|content-.*|proxy-.*|user-agent|webhook-.*|linchpin-.*)$/
