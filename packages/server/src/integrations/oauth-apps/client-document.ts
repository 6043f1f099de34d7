import { isPublicAddress, parseAddress } from '@linchpin/runner'
import type { FastifyPluginAsync } from 'fastify'
import type { Workspace, WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError } from '../../platform/errors.ts'
import type { JsonObject } from '../../platform/json.ts'
import { isId } from '../../platform/storage/id.ts'
import { getCallbackUrl } from '../oauth/authorize/authorization-response.ts'

/** What decides the URLs of a client. */
export interface ClientUrls {
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  /** LINCHPIN_CLIENT_METADATA_URL. */
  readonly clientMetadataUrl?: string | undefined
}

/**
 * The client ID of a workspace at authorization servers that read it as the URL of a document (OAuth Client ID Metadata Document).
 * Undefined if none of them could reach it.
 */
export function getClientDocumentUrl(
  { baseUrl, clientMetadataUrl }: ClientUrls,
  workspaceId: WorkspaceId,
): string | undefined {
  if (clientMetadataUrl !== undefined)
    return clientMetadataUrl.replaceAll('{workspaceId}', workspaceId)
  const { protocol, hostname } = new URL(baseUrl())
  if (protocol !== 'https:' || !isPublicHost(hostname)) return undefined
  return `${baseUrl()}${PATH}${workspaceId}${SUFFIX}`
}

const PATH = '/oauth-client/'
const SUFFIX = '.json'

/** Whether others may reach a host, in the form of `URL.hostname`: not if it is an address or a name of this network. */
function isPublicHost(hostname: string): boolean {
  const address = parseAddress(hostname.replace(/^\[|\]$/g, ''))
  if (address !== undefined) return isPublicAddress(address)
  return hostname.includes('.') && !LOCAL_NAME.test(hostname)
}

/** RFC 6761, RFC 6762, RFC 8375, and the name that ICANN reserves for private use. */
const LOCAL_NAME = /\.(?:home\.arpa|internal|invalid|local|localhost|test)\.?$/

/** What a client says about itself, in its document and at its registration (RFC 7591 section 2): it may get refresh tokens. */
export function describeClient(
  { baseUrl }: ClientUrls,
  { name, settings }: Pick<Workspace, 'name' | 'settings'>,
): JsonObject {
  const logoUrl = settings.theme?.logoUrl
  return {
    client_name: name.trim() || 'Linchpin',
    ...(logoUrl === undefined ? {} : { logo_uri: logoUrl }),
    redirect_uris: [getCallbackUrl(baseUrl())],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
  }
}

/** `/oauth-client/{workspaceId}.json`, public: the metadata of the client that a workspace is. */
export function clientDocumentRoute(
  deps: ClientUrls & { readonly workspaces: WorkspaceStore },
): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { file: string } }>(
      `${PATH}:file`,
      { schema: { hide: true } },
      async ({ params: { file } }, reply) => {
        const workspaceId = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : ''
        const clientId = isId('wsp', workspaceId) && getClientDocumentUrl(deps, workspaceId)
        const workspace = clientId ? await deps.workspaces.findPublic(workspaceId) : undefined
        if (workspace === undefined)
          throw new ApiError('route_not_found', 'This URL does not exist.')
        const document = {
          client_id: clientId,
          ...describeClient(deps, workspace),
          token_endpoint_auth_method: 'none',
        }
        return reply
          .header('cache-control', 'public, max-age=3600')
          .type('application/json; charset=utf-8')
          .serializer(String)
          .send(JSON.stringify(document))
      },
    )
  }
}
