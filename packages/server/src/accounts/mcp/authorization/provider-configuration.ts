import { createECDH } from 'node:crypto'
import type { AdapterFactory, Configuration, Interaction, KoaContextWithOIDC } from 'oidc-provider'
import type { Workspace, WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { createDocumentFetch, type DocumentFetchDeps } from './document-fetch.ts'
import {
  AUTH_METHODS,
  buildResource,
  ENDPOINTS,
  parseResource,
  SCOPES,
  SIGNING_ALGORITHMS,
} from './metadata.ts'

export interface ProviderConfigurationDeps extends DocumentFetchDeps {
  readonly baseUrl: string
  readonly vault: Pick<Vault, 'deriveKey'>
  readonly adapter: AdapterFactory
  /** The workspace, if people can sign in there. */
  readonly findWorkspace: (workspaceId: WorkspaceId) => Promise<Workspace | undefined>
  /** Workspaces where people can sign in, at most two of them. */
  readonly listWorkspaces: () => Promise<readonly Workspace[]>
  readonly isLiveSession: (agentSessionId: string) => Promise<boolean>
  /** Counts a document that is fetched. @returns whether it may be */
  readonly admitFetch: () => boolean
  /** Begins a sign-in, and returns the URL of its page. */
  readonly startSignIn: (ctx: KoaContextWithOIDC, interaction: Interaction) => Promise<string>
  readonly renderError: NonNullable<Configuration['renderError']>
}

type Sdk = typeof import('./oidc-provider.ts')

const HOUR = 3_600
const DAY = 24 * HOUR
/** Seconds that a client may be idle, and those after which a person has to consent again. */
const IDLE = 30 * DAY
const LIFETIME = 180 * DAY

/** What the authorization server allows, and where it stores and finds things. All that is not named here is off. */
export function buildConfiguration(sdk: Sdk, deps: ProviderConfigurationDeps): Configuration {
  return {
    adapter: deps.adapter,
    routes: { ...ENDPOINTS },
    ...buildKeys(deps),
    ...buildTokens(),
    scopes: [],
    claims: {},
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: [...AUTH_METHODS],
    clientDefaults: { token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'ES256' },
    enabledJWA: { clientAuthSigningAlgValues: [...SIGNING_ALGORITHMS] },
    // It is remembered until then (RFC 7523 section 3). By the clock of the library, which checks the other times.
    assertJwtClientAuthClaimsAndHeader: (_ctx, { exp }) => {
      if (!(Number(exp) <= Date.now() / 1_000 + HOUR))
        throw new sdk.errors.InvalidClientAuth('exp is more than an hour ahead')
    },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    features: buildFeatures(sdk, deps),
    interactions: { policy: buildPolicy(sdk), url: deps.startSignIn },
    loadExistingGrant: async ({ oidc }) => {
      const { grantId } = oidc.result?.consent ?? {}
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId)
    },
    findAccount: async (_ctx, accountId) =>
      (await deps.isLiveSession(accountId))
        ? { accountId, claims: async () => ({ sub: accountId }) }
        : undefined,
    renderError: deps.renderError,
    fetch: createDocumentFetch(deps),
  }
}

/** Neither key signs anything but the cookies of a sign-in: tokens are opaque, and there are no ID tokens. */
function buildKeys({ vault, baseUrl }: ProviderConfigurationDeps): Configuration {
  const derive = (purpose: string) => vault.deriveKey(`linchpin mcp ${purpose}`).export()
  const prefix = baseUrl.startsWith('https:') ? '__Secure-' : ''
  return {
    cookies: {
      keys: [derive('cookies').toString('base64url')],
      names: {
        session: `${prefix}linchpin-mcp-session`,
        interaction: `${prefix}linchpin-mcp-sign-in`,
        resume: `${prefix}linchpin-mcp-resume`,
      },
    },
    jwks: { keys: [toPrivateKey(derive('signatures'))] },
  }
}

/** The key of ES256 that follows from 32 secret bytes. */
function toPrivateKey(bytes: Buffer) {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(bytes)
  // SEC 1 section 2.3.3: the point, uncompressed.
  const point = curve.getPublicKey()
  const encode = (part: Buffer) => part.toString('base64url')
  return {
    kty: 'EC',
    crv: 'P-256',
    alg: 'ES256',
    use: 'sig',
    d: encode(curve.getPrivateKey()),
    x: encode(point.subarray(1, 33)),
    y: encode(point.subarray(33)),
  }
}

function buildTokens(): Configuration {
  return {
    expiresWithSession: () => false,
    rotateRefreshToken: () => true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: 60,
      Grant: LIFETIME,
      Interaction: 10 * 60,
      Session: 10 * 60,
      RefreshToken: (_ctx, { iiat }) => {
        const age = iiat === undefined ? 0 : Math.floor(Date.now() / 1_000) - iiat
        return Math.max(1, Math.min(IDLE, LIFETIME - age))
      },
    },
  }
}

function buildFeatures(
  { errors }: Sdk,
  { baseUrl, findWorkspace, listWorkspaces, admitFetch }: ProviderConfigurationDeps,
): NonNullable<Configuration['features']> {
  const off = { enabled: false }
  return {
    devInteractions: off,
    dPoP: off,
    userinfo: off,
    rpInitiatedLogout: off,
    pushedAuthorizationRequests: off,
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    rpMetadataChoices: { enabled: true },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async () => admitFetch(),
      cacheDuration: { min: 60, max: HOUR },
    },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: async () => true,
      async defaultResource(_ctx, _client, granted) {
        if (granted !== undefined) return granted
        const [only, second] = await listWorkspaces()
        if (only === undefined || second !== undefined)
          throw new errors.InvalidTarget(
            'resource must be the URL of an MCP server of this service',
          )
        return buildResource(baseUrl, only.workspaceId)
      },
      async getResourceServerInfo(_ctx, resource) {
        const workspaceId = parseResource(baseUrl, resource)
        const workspace = workspaceId && (await findWorkspace(workspaceId))
        if (workspace === undefined)
          throw new errors.InvalidTarget('resource is no MCP server where people can sign in')
        return { scope: SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque' }
      },
    },
  }
}

/** A person signs in and consents each time. */
function buildPolicy({ interactionPolicy: { Check, Prompt } }: Sdk) {
  const check = new Check(
    'consent_required',
    'A person has to sign in and consent.',
    'consent_required',
    ({ oidc }) => oidc.result?.consent === undefined,
  )
  return [new Prompt({ name: 'consent', requestable: true }, check)]
}
