// Generated from the OpenAPI document by `npm run generate`. Do not edit.

/** The authenticated user. */
export interface User {
  /** Identifier of the user. */
  userId: string
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** First name; empty if unknown. */
  firstname: string
  /** Last name; empty if unknown. */
  lastname: string
  /** Email address. */
  email: string
  /** The workspaces that the token can access. */
  Workspace: Workspace[]
}

/** A workspace of a user. */
export interface Workspace {
  /** Identifier of the workspace. */
  workspaceId: string
  /** Short name, unique among the workspaces of its user. */
  slug: string
  /** Identifier of its owner. */
  userId: string
  /** Whether the workspace is ready for use. */
  initialSetupComplete: boolean
  /** Always false: Linchpin collects no telemetry. */
  anonymousDataCollection: boolean
  /** Time of deletion; null if not deleted. */
  deleted: string | null
}

/** An error. docs/errors.md documents every code. */
export interface ApiException {
  /** The HTTP status. */
  statusCode: number
  /** A human-readable sentence. May change. */
  message: string
  /** The class of the error. */
  status:
    | 'INVALID_ARGUMENT'
    | 'FAILED_PRECONDITION'
    | 'UNAUTHENTICATED'
    | 'PERMISSION_DENIED'
    | 'NOT_FOUND'
    | 'CONFLICT'
    | 'INTERNAL'
    | 'UPSTREAM_ERROR'
    | 'UNAVAILABLE'
    | 'RESOURCE_EXHAUSTED'
    | (string & {})
  /** The stable code of the error. Branch on it. */
  error:
    | 'malformed_json'
    | 'too_many_values'
    | 'malformed_request'
    | 'validation_failed'
    | 'invalid_parameter'
    | 'events_gone'
    | 'unknown_reference'
    | 'auth_type_not_allowed'
    | 'choice_required'
    | 'credentials_rejected'
    | 'source_url_forbidden'
    | 'source_unreachable'
    | 'source_too_large'
    | 'bundle_invalid'
    | 'link_expired'
    | 'link_revoked'
    | 'connect_session_limit'
    | 'bulk_job_limit'
    | 'agent_session_limit'
    | 'approval_limit'
    | 'sign_in_not_configured'
    | 'connect_session_ended'
    | 'link_full'
    | 'link_identifier_full'
    | 'oauth_app_missing'
    | 'mcp_server_invalid'
    | 'client_required'
    | 'scope_not_allowed'
    | 'webhook_url_forbidden'
    | 'webhook_endpoint_limit'
    | 'member_limit'
    | 'member_is_owner'
    | 'redirect_url_not_allowed'
    | 'oauth_confirm_invalid'
    | 'account_pending'
    | 'access_denied'
    | 'oauth_attempt_invalid'
    | 'oauth_start_revoked'
    | 'admin_consent_granted'
    | 'oauth_issuer_mismatch'
    | 'identity_mismatch'
    | 'proxy_unavailable'
    | 'proxy_target_not_allowed'
    | 'token_missing'
    | 'token_invalid'
    | 'workspace_not_accessible'
    | 'insufficient_scope'
    | 'secret_required'
    | 'agent_rule_denied'
    | 'approval_denied'
    | 'approver_not_allowed'
    | 'agent_session_not_found'
    | 'agent_approval_not_found'
    | 'sign_in_request_not_found'
    | 'event_not_found'
    | 'request_not_found'
    | 'link_not_found'
    | 'connect_session_not_found'
    | 'bulk_job_not_found'
    | 'integration_definition_not_found'
    | 'integration_account_not_found'
    | 'oauth_app_not_found'
    | 'tool_not_found'
    | 'preview_not_found'
    | 'webhook_endpoint_not_found'
    | 'token_not_found'
    | 'member_not_found'
    | 'workspace_not_found'
    | 'route_not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'approval_required'
    | 'tool_suspended'
    | 'agent_approval_decided'
    | 'sign_in_request_ended'
    | 'already_connected'
    | 'already_exists'
    | 'concurrent_update'
    | 'idempotency_in_progress'
    | 'definition_in_use'
    | 'definition_from_catalogue'
    | 'bundle_changed'
    | 'nothing_to_roll_back'
    | 'preview_running'
    | 'oauth_app_in_use'
    | 'oauth_app_secret_required'
    | 'body_too_large'
    | 'uri_too_long'
    | 'unsupported_media_type'
    | 'expectation_failed'
    | 'idempotency_key_reused'
    | 'needs_reauth'
    | 'headers_too_large'
    | 'internal_error'
    | 'integration_failed'
    | 'integration_timeout'
    | 'integration_limit'
    | 'integration_bad_output'
    | 'authorization_request_failed'
    | 'token_exchange_failed'
    | 'provider_error'
    | 'provider_timeout'
    | 'storage_unavailable'
    | 'storage_full'
    | 'egress_unavailable'
    | 'refresh_in_progress'
    | 'check_in_progress'
    | 'shutting_down'
    | 'circuit_open'
    | 'overloaded'
    | 'rate_limited'
    | 'agent_budget_spent'
    | (string & {})
  /** Field path to a list of { code, message }. Empty when the error concerns no field. */
  errors: Record<
    string,
    {
      /** The stable code of the mistake. */
      code: string
      /** A sentence for the caller. May change. */
      message: string
      /** With the code `choice`: a value that the field may have. With `pending` and `approved`: the approval, or its page. */
      value?: string | undefined
    }[]
  >
  /** The time of the response. */
  timestamp: string
  /** The request path, without its query. */
  path: string
}

export interface CreateUser {
  /** Email address. */
  email: string
  /** First name. */
  firstname?: string | null | undefined
  /** Last name. */
  lastname?: string | null | undefined
}

/** A newly created user. */
export interface NewUser {
  user: User
  /** An access token of the new user. Returned only once. */
  token: string
}

export interface CreateWorkspace {
  /** Lower-case letters, digits and hyphens. Default: workspace- followed by six random characters. */
  slug?: string | null | undefined
}

/** A workspace with its settings. */
export interface WorkspaceSettings {
  /** Identifier of the workspace. */
  workspaceId: string
  /** Short name, unique among the workspaces of its user. */
  slug: string
  /** Identifier of its owner. */
  userId: string
  /** Whether the workspace is ready for use. */
  initialSetupComplete: boolean
  /** Always false: Linchpin collects no telemetry. */
  anonymousDataCollection: boolean
  /** Time of deletion; null if not deleted. */
  deleted: string | null
  /** The name shown on the connect page; empty if none. */
  name: string
  /** The appearance of the pages of this workspace. */
  theme: {
    /** A hex color such as #3366ff. */
    accentColor?: string | undefined
    /** URL of the logo. */
    logoUrl?: string | undefined
    /** URL of the privacy notice. */
    privacyUrl?: string | undefined
    /** URL of the terms. */
    termsUrl?: string | undefined
    /** Whether pages say "Secured by Linchpin". Default: true. */
    showFooter?: boolean | undefined
    /** Of the card, in pixels; smaller elements follow. Default: 14. */
    cornerRadius?: number | undefined
    /** Own texts, plain, of at most 300 characters. */
    texts?:
      | {
          /** Below the title of the list. */
          introduction?:
            | {
                /** The text in every other language. */
                default: string
                /** The text in the language en. */
                en?: string | undefined
                /** The text in the language de. */
                de?: string | undefined
                /** The text in the language fr. */
                fr?: string | undefined
                /** The text in the language es. */
                es?: string | undefined
                /** The text in the language it. */
                it?: string | undefined
                /** The text in the language pt. */
                pt?: string | undefined
                /** The text in the language ja. */
                ja?: string | undefined
                /** The text in the language ar. */
                ar?: string | undefined
              }
            | undefined
          /** On the screen that says what is connected. */
          success?:
            | {
                /** The text in every other language. */
                default: string
                /** The text in the language en. */
                en?: string | undefined
                /** The text in the language de. */
                de?: string | undefined
                /** The text in the language fr. */
                fr?: string | undefined
                /** The text in the language es. */
                es?: string | undefined
                /** The text in the language it. */
                it?: string | undefined
                /** The text in the language pt. */
                pt?: string | undefined
                /** The text in the language ja. */
                ja?: string | undefined
                /** The text in the language ar. */
                ar?: string | undefined
              }
            | undefined
          /** Below every page. */
          support?:
            | {
                /** The text in every other language. */
                default: string
                /** The text in the language en. */
                en?: string | undefined
                /** The text in the language de. */
                de?: string | undefined
                /** The text in the language fr. */
                fr?: string | undefined
                /** The text in the language es. */
                es?: string | undefined
                /** The text in the language it. */
                it?: string | undefined
                /** The text in the language pt. */
                pt?: string | undefined
                /** The text in the language ja. */
                ja?: string | undefined
                /** The text in the language ar. */
                ar?: string | undefined
              }
            | undefined
        }
      | undefined
  }
  /** URLs that the pages may redirect to. */
  allowedRedirectURLs: string[]
  /** Origins that may embed the connect page. */
  allowedFrameOrigins: string[]
  /** How people answer agents. */
  agents: {
    /** The page of the product that identifies its user, for people who answer agents. It gets the parameter `linchpin_request`. */
    signInURL: string | null
    /** The rules of the MCP clients with which customers sign in, from their next sign-in on. Without a rule that matches, GET and HEAD are allowed, and all other methods denied. */
    rules: {
      /** Deny wins over approve, and approve over allow. With approve, each request waits until a person has approved it. */
      effect: 'allow' | 'approve' | 'deny' | (string & {})
      /** Only requests with these methods. Default: any. */
      methods?:
        | ('GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {}))[]
        | undefined
      /** Only paths that match, as they are sent to the provider, from the first slash after the host. `*` stands for one segment, and `**` at the end for all that follow. Default: any. */
      path?: string | undefined
      /** Only requests to these hosts. Default: any that the integration allows. */
      hosts?: string[] | undefined
      /** Only accounts of these tools. Default: any. */
      integrationDefinitionIds?: string[] | undefined
      /** Only calls of these tools of MCP servers, which no rule without `tools` allows; `*` stands for any. Not together with `methods` or `path`. */
      tools?: string[] | undefined
    }[]
  }
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
}

export interface UpdateWorkspace {
  /** Lower-case letters, digits and hyphens. Default: workspace- followed by six random characters. */
  slug?: string | null | undefined
  /** The name shown on the connect page. */
  name?: string | null | undefined
  /** The appearance of the pages of this workspace. Replaced as a whole. */
  theme?:
    | {
        /** A hex color such as #3366ff. */
        accentColor?: string | undefined
        /** URL of the logo. */
        logoUrl?: string | undefined
        /** URL of the privacy notice. */
        privacyUrl?: string | undefined
        /** URL of the terms. */
        termsUrl?: string | undefined
        /** Whether pages say "Secured by Linchpin". Default: true. */
        showFooter?: boolean | undefined
        /** Of the card, in pixels; smaller elements follow. Default: 14. */
        cornerRadius?: number | undefined
        /** Own texts, plain, of at most 300 characters. */
        texts?:
          | {
              /** Below the title of the list. */
              introduction?:
                | {
                    /** The text in every other language. */
                    default: string
                    /** The text in the language en. */
                    en?: string | undefined
                    /** The text in the language de. */
                    de?: string | undefined
                    /** The text in the language fr. */
                    fr?: string | undefined
                    /** The text in the language es. */
                    es?: string | undefined
                    /** The text in the language it. */
                    it?: string | undefined
                    /** The text in the language pt. */
                    pt?: string | undefined
                    /** The text in the language ja. */
                    ja?: string | undefined
                    /** The text in the language ar. */
                    ar?: string | undefined
                  }
                | undefined
              /** On the screen that says what is connected. */
              success?:
                | {
                    /** The text in every other language. */
                    default: string
                    /** The text in the language en. */
                    en?: string | undefined
                    /** The text in the language de. */
                    de?: string | undefined
                    /** The text in the language fr. */
                    fr?: string | undefined
                    /** The text in the language es. */
                    es?: string | undefined
                    /** The text in the language it. */
                    it?: string | undefined
                    /** The text in the language pt. */
                    pt?: string | undefined
                    /** The text in the language ja. */
                    ja?: string | undefined
                    /** The text in the language ar. */
                    ar?: string | undefined
                  }
                | undefined
              /** Below every page: whom to contact. */
              support?:
                | {
                    /** The text in every other language. */
                    default: string
                    /** The text in the language en. */
                    en?: string | undefined
                    /** The text in the language de. */
                    de?: string | undefined
                    /** The text in the language fr. */
                    fr?: string | undefined
                    /** The text in the language es. */
                    es?: string | undefined
                    /** The text in the language it. */
                    it?: string | undefined
                    /** The text in the language pt. */
                    pt?: string | undefined
                    /** The text in the language ja. */
                    ja?: string | undefined
                    /** The text in the language ar. */
                    ar?: string | undefined
                  }
                | undefined
            }
          | undefined
      }
    | null
    | undefined
  /** URLs that the pages may redirect to. Compared exactly. Replaced as a whole. */
  allowedRedirectURLs?: string[] | null | undefined
  /** Origins that may embed the connect page. Replaced as a whole. */
  allowedFrameOrigins?: string[] | null | undefined
  /** How people answer agents. Replaced as a whole. */
  agents?:
    | {
        /** The page of the product that identifies its user, for people who answer agents. It gets the parameter `linchpin_request`. */
        signInURL?: string | undefined
        /** The rules of the MCP clients with which customers sign in, from their next sign-in on. Without a rule that matches, GET and HEAD are allowed, and all other methods denied. */
        rules?:
          | {
              /** Deny wins over approve, and approve over allow. With approve, each request waits until a person has approved it. */
              effect: 'allow' | 'approve' | 'deny'
              /** Only requests with these methods. Default: any. */
              methods?:
                | ('GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]
                | undefined
              /** Only paths that match, as they are sent to the provider, from the first slash after the host. `*` stands for one segment, and `**` at the end for all that follow. Default: any. */
              path?: string | undefined
              /** Only requests to these hosts. Default: any that the integration allows. */
              hosts?: string[] | undefined
              /** Only accounts of these tools. Default: any. */
              integrationDefinitionIds?: string[] | undefined
              /** Only calls of these tools of MCP servers, which no rule without `tools` allows; `*` stands for any. Not together with `methods` or `path`. */
              tools?: string[] | undefined
            }[]
          | undefined
      }
    | null
    | undefined
}

export interface CreateToken {
  /** What the token is for. */
  name: string
  /** Lifetime in seconds. Default: 90 days. */
  seconds?: number | null | undefined
  /** Binds the token to this workspace. */
  workspaceId?: string | null | undefined
  /** Binds the token to these accounts of its workspace: it can get them and send requests through their proxy, and nothing else. */
  integrationAccountIds?: string[] | null | undefined
  /** Maximum number of reads per minute, if it is lower than that of the service. */
  readsPerMinute?: number | null | undefined
  /** Maximum number of other requests per minute, if it is lower than that of the service. */
  writesPerMinute?: number | null | undefined
  /** Default: read and write, if the creating token has them. write includes the five scopes that end in :write, and accounts:write includes accounts:reconnect. */
  scopes?:
    | (
        | 'admin'
        | 'read'
        | 'write'
        | 'links:write'
        | 'accounts:write'
        | 'definitions:write'
        | 'apps:write'
        | 'workspace:write'
        | 'accounts:reconnect'
        | 'credentials:read'
        | 'audit:read'
        | 'proxy'
        | 'tokens'
        | 'members'
        | 'webhooks'
        | 'agents'
        | 'agents:approve'
      )[]
    | null
    | undefined
}

/** A newly created token. */
export interface NewToken {
  /** Identifier of the token. Not secret. */
  tokenId: string
  /** Name of the token. */
  name: string
  /** What the token may do. */
  scopes: string[]
  /** The workspace that the token is bound to; null: all workspaces of the user. */
  workspaceId: string | null
  /** The only accounts that the token can get and use; null: all accounts. */
  integrationAccountIds: string[] | null
  /** Expiry time; null: never. */
  expiresAt: string | null
  /** The token. Returned only once. */
  token: string
}

/** A token of the user, without the token value. */
export interface Token {
  /** Identifier of the token. Not secret. */
  tokenId: string
  /** Name of the token. */
  name: string
  /** What the token may do. */
  scopes: string[]
  /** The workspace that the token is bound to; null: all workspaces of the user. */
  workspaceId: string | null
  /** The only accounts that the token can get and use; null: all accounts. */
  integrationAccountIds: string[] | null
  /** Expiry time; null: never. */
  expiresAt: string | null
  /** Creation time. */
  createdAt: string
  /** Time of last use, with a resolution of 15 minutes; null: never used. */
  lastUsedAt: string | null
  /** Time of revocation; null if not revoked. */
  revokedAt: string | null
}

/** A member with the access tokens that they created. */
export interface ListedMember {
  /** Identifier of the member. */
  memberId: string
  /** The workspace that they have access to. */
  workspaceId: string
  /** The user, as the audit trail names the actor; null until they have accepted. */
  userId: string | null
  /** Email address. */
  email: string
  /** Name; null until they have accepted. */
  name: string | null
  /** What they may do. */
  role: 'viewer' | 'support' | 'developer' | 'admin' | 'owner' | (string & {})
  /** Scopes beyond those of the role, after they have confirmed who they are. */
  extraScopes: string[]
  /** Whether they have accepted the invitation. */
  status: 'active' | 'invited' | (string & {})
  /** Until when the invitation can be accepted; null afterwards. */
  invitedUntil: string | null
  /** Last use of the console in this workspace; null: not within 30 days. */
  lastSeenAt: string | null
  /** Time of the invitation. */
  createdAt: string
  /** The live access tokens that they created in the console, and that end with the membership: at most 100. */
  tokens: {
    /** Identifier of the token. */
    tokenId: string
    /** Name of the token. */
    name: string
  }[]
}

export interface InviteMember {
  /** Email address. Only a person who is known by it can accept. */
  email: string
  /** What they may do. The caller needs the scopes of the role. */
  role: 'viewer' | 'support' | 'developer' | 'admin'
  /** Scopes beyond those of the role. The caller needs them, too. */
  extraScopes?: ('proxy' | 'credentials:read')[] | null | undefined
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

/** A member who has just been invited. */
export interface InvitedMember {
  /** Identifier of the member. */
  memberId: string
  /** The workspace that they have access to. */
  workspaceId: string
  /** The user, as the audit trail names the actor; null until they have accepted. */
  userId: string | null
  /** Email address. */
  email: string
  /** Name; null until they have accepted. */
  name: string | null
  /** What they may do. */
  role: 'viewer' | 'support' | 'developer' | 'admin' | 'owner' | (string & {})
  /** Scopes beyond those of the role, after they have confirmed who they are. */
  extraScopes: string[]
  /** Whether they have accepted the invitation. */
  status: 'active' | 'invited' | (string & {})
  /** Until when the invitation can be accepted; null afterwards. */
  invitedUntil: string | null
  /** Last use of the console in this workspace; null: not within 30 days. */
  lastSeenAt: string | null
  /** Time of the invitation. */
  createdAt: string
  /** The page on which they accept, once, within 7 days. Returned only once. */
  invitationUrl: string
}

export interface UpdateMember {
  /** What they may do. The caller needs the scopes of the role. */
  role?: 'viewer' | 'support' | 'developer' | 'admin' | null | undefined
  /** Scopes beyond those of the role. The caller needs them, too. */
  extraScopes?: ('proxy' | 'credentials:read')[] | null | undefined
}

/** A member after a change. */
export interface ChangedMember {
  /** Identifier of the member. */
  memberId: string
  /** The workspace that they have access to. */
  workspaceId: string
  /** The user, as the audit trail names the actor; null until they have accepted. */
  userId: string | null
  /** Email address. */
  email: string
  /** Name; null until they have accepted. */
  name: string | null
  /** What they may do. */
  role: 'viewer' | 'support' | 'developer' | 'admin' | 'owner' | (string & {})
  /** Scopes beyond those of the role, after they have confirmed who they are. */
  extraScopes: string[]
  /** Whether they have accepted the invitation. */
  status: 'active' | 'invited' | (string & {})
  /** Until when the invitation can be accepted; null afterwards. */
  invitedUntil: string | null
  /** Last use of the console in this workspace; null: not within 30 days. */
  lastSeenAt: string | null
  /** Time of the invitation. */
  createdAt: string
  /** How many of the access tokens that they created were revoked. */
  revokedTokens: number
}

/** An integration definition in lists. */
export interface ListedIntegrationDefinition {
  /** ID of the definition. */
  integrationDefinitionId: string
  /** Name of the integration. */
  name: string
  /** Key, unique among the live definitions of a workspace. */
  key: string
  /** URL of the icon. */
  icon: string
  /** Current version. */
  version: string
  releaseStage: ReleaseStage
  /** URL of the compiled bundle. */
  sourceUrl: string
  integrationType: Category
  /** ID of the workspace. */
  workspaceId: string
  /** Time of deletion; null while live. */
  deleted: string | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** Whether it runs its latest version. */
  isLatest: boolean
  /** The latest version. */
  latestVersion: string
  /** Its auth types. */
  authTypes: AuthTypeSummary[]
  /** The provider's documentation; null if the catalogue does not name one. */
  documentationUrl: string | null
}

/** The release stage of an integration. */
export interface ReleaseStage {
  /** The stage in capital letters. */
  key: string
  /** The stage for people. */
  name: string
}

/** A category of integrations. */
export interface Category {
  /** The category in capital letters: a built-in one, or one of the workspace. */
  key:
    | 'HRIS'
    | 'MESSAGING'
    | 'CALENDAR'
    | 'TICKETING'
    | 'MAIL'
    | 'DOCUMENTATION'
    | 'ACCOUNTING'
    | 'ATS'
    | 'STORAGE'
    | 'PAYMENTS'
    | 'CRM'
    | 'MARKETING'
    | 'SUPPORT'
    | 'ANALYTICS'
    | 'DEVELOPER_TOOLS'
    | 'PROJECT_MANAGEMENT'
    | 'IDENTITY'
    | 'SOCIAL'
    | 'AI'
    | 'OTHER'
    | (string & {})
  /** The category for people. */
  name: string
}

/** A way to connect an integration. */
export interface AuthTypeSummary {
  /** Its name, as in accounts. */
  name: string
  /** `sign_in`: customers sign in at the provider, which needs an OAuth app. `credentials`: they enter them. */
  kind: 'sign_in' | 'credentials' | (string & {})
  /** True: the sign-in finds or registers its client at the server, and needs no OAuth app. Absent: it does not. */
  findsClient?: boolean | undefined
}

/** An integration definition with its latest version. */
export interface ExtendedIntegrationDefinition {
  /** ID of the definition. */
  integrationDefinitionId: string
  /** Name of the integration. */
  name: string
  /** Key, unique among the live definitions of a workspace. */
  key: string
  /** URL of the icon. */
  icon: string
  /** Current version. */
  version: string
  releaseStage: ReleaseStage
  /** URL of the compiled bundle. */
  sourceUrl: string
  integrationType: Category
  /** ID of the workspace. */
  workspaceId: string
  /** Time of deletion; null while live. */
  deleted: string | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** Whether it runs its latest version. */
  isLatest: boolean
  /** The latest version. */
  latestVersion: string
  /** Source URL of the latest version. */
  latestVersionSource: string
  /** What was changed in this integration of the catalogue, as paths into its entry, such as `auth.OAuth2.token`. Absent: nothing. */
  overridden?: string[] | undefined
}

/** The spec of an integration: what it needs to connect an account. */
export interface IntegrationSpec {
  /** The auth types by their names. */
  auth_specification: Record<string, SpecAuthType>
  /** The fields that all auth types share. */
  other_inputs?:
    | {
        input_specification?: SpecFields | undefined
      }
    | undefined
  /** The base URL of the provider's API, if all auth types have the same. */
  api_base_url?: string | undefined
  /** The hosts that receive requests. */
  'x-hosts'?: string[] | undefined
  /** Seconds without a use after which the credentials are checked; 0: never. Absent: as the operator has set it. */
  'x-check-interval'?: number | undefined
}

/** A way to authenticate. Members that are not listed here belong to OAuth: see docs/bundles.md. */
export interface SpecAuthType {
  input_specification?: SpecFields | undefined
  /** The headers of authenticated requests, with references to fields. */
  headers?: Record<string, unknown> | undefined
  /** The query parameters with credentials, with references to fields. */
  query?: Record<string, unknown> | undefined
  /** The base URL of the provider's API, for the proxy. */
  api_base_url?: string | undefined
  /** The authorization endpoint (RFC 6749), if people sign in. */
  authorization_url?: string | undefined
  /** The token endpoint (RFC 6749). */
  token_url?: string | undefined
  /** `mcp`: the server at `server_url` says where people sign in. */
  discovery?: string | undefined
  /** The URL of that server, an MCP server. */
  server_url?: string | undefined
  /** The endpoint for refresh tokens, if it is another one. */
  refresh_url?: string | undefined
  /** The revocation endpoint (RFC 7009). */
  revocation_url?: string | undefined
  /** The scopes that a sign-in requests. */
  default_scopes?: string[] | undefined
  /** What the provider calls the value that it assigns to a redirect URI. OAuth apps have it as `redirectName`. */
  'x-redirect-name'?: string | undefined
  /** What each scope allows, for people. */
  'x-scope-labels'?: Record<string, unknown> | undefined
}

/** The fields of a form, as the JSON Schema of an object. */
export interface SpecFields {
  /** Always `object`. */
  type?: string | undefined
  /** The names of the fields that must have a value. */
  required?: string[] | undefined
  /** The fields by their names. */
  properties?: Record<string, SpecField> | undefined
}

/** A field of a form: a JSON Schema with members for pages. */
export interface SpecField {
  /** Its JSON type, or a list of types. */
  type?: unknown | undefined
  /** Its label. */
  title?: string | undefined
  /** The text below it. */
  description?: string | undefined
  /** Its only values. */
  enum?: unknown[] | undefined
  /** Its only value. */
  const?: unknown | undefined
  /** The value that the form starts with. */
  default?: unknown | undefined
  /** The format of a text, such as `uri`. */
  format?: string | undefined
  /** A regular expression that a text matches. */
  pattern?: string | undefined
  /** The minimum length of a text. */
  minLength?: number | undefined
  /** The maximum length of a text. */
  maxLength?: number | undefined
  /** The minimum of a number. */
  minimum?: number | undefined
  /** The maximum of a number. */
  maximum?: number | undefined
  /** Whether its value is a secret. */
  writeOnly?: boolean | undefined
  /** The same as `writeOnly`. */
  'x-secret'?: boolean | undefined
  /** An example of a value. */
  'x-placeholder'?: string | undefined
  /** Where the provider explains how to find the value. */
  'x-help-url'?: string | undefined
  /** Its position in the form. */
  'x-order'?: number | undefined
  /** The labels of the values in `enum`. */
  'x-labels'?: Record<string, unknown> | undefined
  /** Its texts in other languages. */
  'x-i18n'?: Record<string, unknown> | undefined
}

/** The entry of a definition; null if code makes the integration. */
export interface DefinitionEntry {
  /** The version that has this entry. */
  version: string
  /** The integration as data, instead of `sourceUrl` and `bundle`: hosts, authentication, check and identity, as in `entry.schema.json`. `runtime`, `key`, `name`, `category`, `version` and `docs` may be left out. At most 64 kB. */
  entry: Record<string, unknown> | null
}

export interface CreateDefinition {
  /** Name of the integration. */
  name: string
  /** URL of the compiled bundle. Required without `bundle` and `entry`. */
  sourceUrl?: string | null | undefined
  /** The compiled bundle itself, in base64, at most 5 MB, instead of `sourceUrl`. The definition then names it by its digest: `ni:///sha-256;…` (RFC 6920). */
  bundle?: string | null | undefined
  /** The integration as data, instead of `sourceUrl` and `bundle`: hosts, authentication, check and identity, as in `entry.schema.json`. `runtime`, `key`, `name`, `category`, `version` and `docs` may be left out. At most 64 kB. */
  entry?: Record<string, unknown> | null | undefined
  /** A key or name such as Ticketing, or an object such as { "key": "TICKETING" }. */
  integrationType: string | Record<string, unknown>
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

/** An integration. */
export interface IntegrationDefinition {
  /** ID of the definition. */
  integrationDefinitionId: string
  /** Name of the integration. */
  name: string
  /** Key, unique among the live definitions of a workspace. */
  key: string
  /** URL of the icon. */
  icon: string
  /** Current version. */
  version: string
  releaseStage: ReleaseStage
  /** URL of the compiled bundle. */
  sourceUrl: string
  integrationType: Category
  /** ID of the workspace. */
  workspaceId: string
  /** Time of deletion; null while live. */
  deleted: string | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
}

export interface SetDefinitionIcon {
  /** A PNG or WebP image without animation in base64, of at most 32 kB, 16 to 512 pixels wide and high. null removes the icon. */
  icon: string | null
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

export interface UpgradeDefinition {
  /** URL of the compiled bundle. */
  sourceUrl?: string | null | undefined
  /** The compiled bundle itself, in base64, at most 5 MB, instead of `sourceUrl`. The definition then names it by its digest: `ni:///sha-256;…` (RFC 6920). */
  bundle?: string | null | undefined
  /** The integration as data, instead of `sourceUrl` and `bundle`: hosts, authentication, check and identity, as in `entry.schema.json`. `runtime`, `key`, `name`, `category`, `version` and `docs` may be left out. At most 64 kB. */
  entry?: Record<string, unknown> | null | undefined
  /** The version. */
  version?: string | null | undefined
  /** For a catalogue definition: the workspace to change. */
  workspaceId?: string | null | undefined
}

/** A definition that was changed to another version. */
export interface UpgradedDefinition {
  /** ID of the definition. */
  integrationDefinitionId: string
  /** Name of the integration. */
  name: string
  /** Key, unique among the live definitions of a workspace. */
  key: string
  /** URL of the icon. */
  icon: string
  /** Current version. */
  version: string
  releaseStage: ReleaseStage
  /** URL of the compiled bundle. */
  sourceUrl: string
  integrationType: Category
  /** ID of the workspace. */
  workspaceId: string
  /** Time of deletion; null while live. */
  deleted: string | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** Whether it runs its latest version. */
  isLatest: boolean
  /** The latest version. */
  latestVersion: string
  /** Source URL of the latest version. */
  latestVersionSource: string
  /** What was changed in this integration of the catalogue, as paths into its entry, such as `auth.OAuth2.token`. Absent: nothing. */
  overridden?: string[] | undefined
  /** How many live accounts of the workspace lack each scope that their sign-in would request with this version. A connect session with `scopes` requests it. */
  missingScopes: Record<string, number>
}

export interface OverrideDefinition {
  /** A JSON merge patch (RFC 7396) for the entry of the catalogue: `null` removes a member. An empty one removes what was overridden. */
  patch: Record<string, unknown>
  /** For a catalogue definition: the workspace to change. */
  workspaceId?: string | null | undefined
}

export interface RollbackDefinition {
  /** The version. */
  version?: string | null | undefined
  /** For a catalogue definition: the workspace to change. */
  workspaceId?: string | null | undefined
}

export interface PreviewDefinition {
  /** URL of the compiled bundle. */
  sourceUrl?: string | null | undefined
  /** The compiled bundle itself, in base64, at most 5 MB, instead of `sourceUrl`. The definition then names it by its digest: `ni:///sha-256;…` (RFC 6920). */
  bundle?: string | null | undefined
  /** The integration as data, instead of `sourceUrl` and `bundle`: hosts, authentication, check and identity, as in `entry.schema.json`. `runtime`, `key`, `name`, `category`, `version` and `docs` may be left out. At most 64 kB. */
  entry?: Record<string, unknown> | null | undefined
  /** The version. */
  version?: string | null | undefined
  /** For a catalogue definition: the workspace to change. */
  workspaceId?: string | null | undefined
  /** A JSON merge patch (RFC 7396) for the entry of the catalogue: `null` removes a member. An empty one removes what was overridden. */
  patch?: Record<string, unknown> | null | undefined
}

/** The effects of an upgrade. */
export interface DefinitionPreview {
  /** ID of the preview. It is stored for an hour. */
  previewId: string
  /** `interrupted` if the service stopped: pending accounts will not be checked. */
  state: 'running' | 'finished' | 'interrupted' | (string & {})
  /** The version in use. */
  from: {
    /** The version. */
    version: string
    /** URL of the compiled bundle. */
    sourceUrl: string
  }
  /** The version of the upgrade. */
  to: {
    /** The version. */
    version: string
    /** URL of the compiled bundle. */
    sourceUrl: string
  }
  /** How the fields of the forms change. */
  fields: {
    /** New fields. */
    added: PreviewField[]
    /** Removed fields. */
    removed: PreviewField[]
    /** Fields whose description changed. */
    changed: PreviewField[]
    /** Fields that were optional before. */
    nowRequired: PreviewField[]
  }
  /** How the default scopes change. */
  scopes: {
    /** New default scopes. */
    added: string[]
    /** Removed default scopes. */
    removed: string[]
  }
  /** How many live accounts of the workspace lack each scope that their sign-in would request with this version. A connect session with `scopes` requests it. */
  missingScopes: Record<string, number>
  /** How the hosts that the integration reaches change. */
  hosts: {
    /** Hosts that the bundle, OAuth or proxied requests did not reach before; `*`: all hosts. */
    added: string[]
    /** Hosts that are no longer reached. */
    removed: string[]
  }
  /** How the auth types change. */
  authTypes: {
    /** New auth types. */
    added: string[]
    /** Removed auth types. */
    removed: string[]
  }
  /** What became of the accounts that were checked. */
  accounts: {
    /** Live accounts of the workspace. */
    total: number
    /** Checked accounts. */
    checked: number
    /** Accounts that work with the new version. */
    ok: number
    /** Accounts that work now but would not work with the new version. */
    wouldBreak: number
    /** Accounts that work with neither version. */
    alreadyBroken: number
    /** Accounts without a result, because the provider or the integration did not respond. */
    unreachable: number
    /** Accounts that have not been checked. */
    pending: number
    /** Accounts that would break, at most 100. */
    broken: BrokenAccount[]
  }
}

/** An input field of an integration. */
export interface PreviewField {
  /** Its auth type; null if all auth types need it. */
  authType: string | null
  /** Its name. */
  name: string
}

/** An account that would stop working. */
export interface BrokenAccount {
  /** ID of the account. */
  integrationAccountId: string
  /** Error code. */
  code: string
  /** Error message. */
  error: string
}

export interface CreateOAuthApp {
  /** The definition, by its ID or key. */
  integrationDefinitionId: string
  /** The client ID issued by the provider. */
  clientId: string
  /** The client secret. Stored encrypted and never returned. Omit it for public clients. */
  clientSecret?: string | null | undefined
  /** Scopes to request: in addition to those of the spec, or in their place (`scopesMode`). */
  scopes?: string[] | null | undefined
  /** Whether `scopes` are added to those of the spec, or replace them. What the integration requires is always requested. Default: add. */
  scopesMode?: 'add' | 'replace' | null | undefined
  /** Scopes that links and connect sessions may request in addition to those of the spec and of the app. */
  optionalScopes?: string[] | null | undefined
  /** What the provider has assigned to the redirect URI and expects in its place, such as the RuName of eBay. Required where the spec has `x-redirect-name`, and not allowed elsewhere. */
  redirectName?: string | null | undefined
  /** Hosts that may receive the client secret if the configuration of an account determines the host, such as `*.myshopify.com`. */
  allowedHosts?: string[] | null | undefined
  /** The issuer of the authorization server that the client is registered with. Required where the spec has `discovery`, and not allowed elsewhere. Cannot be changed. */
  issuer?: string | null | undefined
  /** Display name. Defaults to the name of the definition. */
  integrationOAuthAppName?: string | null | undefined
  /** The customer whose own app it is: used for this customer's connections only. Cannot be changed. */
  accountIdentifier?: string | null | undefined
  /** The app whose successor this one is, of the same definition and the same customer, and without another successor: a customer changes the client of its own app like this. */
  predecessorId?: string | null | undefined
  /** Whether it is used where nothing else selects an app. Default: true without accountIdentifier and predecessorId. False for a second app, which links, sessions and starts name, or which succeeds the default. */
  isDefault?: boolean | null | undefined
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

/** An OAuth client of a workspace, or of one of its customers, for one definition. */
export interface IntegrationOAuthApp {
  /** ID of the OAuth app. */
  integrationOAuthAppId: string
  /** Display name. */
  integrationOAuthAppName: string
  /** The client ID issued by the provider. */
  clientId: string
  /** Scopes to request: in addition to those of the spec, or in their place (`scopesMode`). */
  scopes: string[]
  /** Whether `scopes` are added to those of the spec, or replace them. What the integration requires is always requested. */
  scopesMode: 'add' | 'replace' | (string & {})
  /** Scopes that links and connect sessions may request in addition. */
  optionalScopes: string[]
  /** What the provider has assigned to the redirect URI and expects in its place, such as the RuName of eBay; null for all other providers. */
  redirectName: string | null
  /** Hosts that may receive the client secret if the configuration of an account determines the host. */
  allowedHosts: string[]
  /** Whether it is used where nothing else selects an app of the definition. */
  isDefault: boolean
  /** The customer whose own app it is: used for accounts with this accountIdentifier only; null for apps of the workspace. */
  accountIdentifier: string | null
  /** The app that new connections and reconnects use in its place; null without one. */
  successorId: string | null
  /** registered: the client was registered at the provider. metadata_document and dynamic: Linchpin is known there by the URL of its metadata, or has registered itself. */
  kind: 'registered' | 'metadata_document' | 'dynamic' | (string & {})
  /** The issuer of the authorization server that the client is registered with, for integrations whose server names it; null for all others. */
  issuer: string | null
  /** ID of the definition. */
  integrationDefinitionId: string
  /** ID of the workspace. */
  workspaceId: string
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** Since when the provider rejects the client; null while it does not. */
  failingSince: string | null
  /** Live accounts that were connected with it and that it refreshes; 1000 stands for as many or more. */
  accounts: number
}

/** An OAuth app with IDs and names only. */
export interface OAuthAppIds {
  /** ID of the OAuth app. */
  integrationOAuthAppId: string
  /** ID of the definition. */
  integrationDefinitionId: string
  /** Display name. */
  integrationOAuthAppName: string
}

export interface UpdateOAuthApp {
  /** The client ID issued by the provider. */
  clientId?: string | null | undefined
  /** The client secret. Stored encrypted and never returned. Omit it for public clients. */
  clientSecret?: string | null | undefined
  /** Scopes to request: in addition to those of the spec, or in their place (`scopesMode`). */
  scopes?: string[] | null | undefined
  /** Whether `scopes` are added to those of the spec, or replace them. What the integration requires is always requested. Default: add. */
  scopesMode?: 'add' | 'replace' | null | undefined
  /** Scopes that links and connect sessions may request in addition to those of the spec and of the app. */
  optionalScopes?: string[] | null | undefined
  /** What the provider has assigned to the redirect URI and expects in its place, such as the RuName of eBay. Required where the spec has `x-redirect-name`, and not allowed elsewhere. */
  redirectName?: string | null | undefined
  /** Hosts that may receive the client secret if the configuration of an account determines the host, such as `*.myshopify.com`. */
  allowedHosts?: string[] | null | undefined
  /** Display name. Defaults to the name of the definition. */
  integrationOAuthAppName?: string | null | undefined
  /** Whether it is used where nothing else selects an app. */
  isDefault?: boolean | null | undefined
  /** With `"isDefault": true`: the app that was the default becomes another one in the same change, so that the definition is never without. Default: false, and a second default is an error. */
  replaceDefault?: boolean | null | undefined
  /** An app of the same definition and the same customer that new connections and reconnects use instead; null: none. This app continues to refresh its accounts until they are reconnected. */
  successorId?: string | null | undefined
}

/** The diagnosis of an OAuth app. It is not stored. */
export interface OAuthAppReport {
  /** The redirect URI to register at the provider. */
  redirectUri: string
  /** One entry per check, always in the same order. */
  checks: {
    /** The check. */
    name:
      | 'redirect_uri'
      | 'token_endpoint'
      | 'client_credentials'
      | 'scopes'
      | 'refresh_tokens'
      | 'authorization_request'
      | (string & {})
    /** The result of the check. */
    status: 'ok' | 'warning' | 'failed' | 'unknown' | (string & {})
    /** What was found and what to do, in English. */
    message: string
  }[]
  /** The scopes of the spec and of the app, compared. */
  scopes: {
    /** Scopes that the integration requires. */
    spec: string[]
    /** Scopes of the app. */
    app: string[]
    /** Scopes of the spec that the app lacks. Empty if the app has no scopes. */
    missing: string[]
    /** Scopes of the app that the spec does not list. */
    extra: string[]
  }
}

/** A verified connection of one definition in one workspace. */
export interface IntegrationAccount {
  /** Identifier of the account. */
  integrationAccountId: string
  /** Identifier of its definition. */
  integrationDefinitionId: string
  /** The public fields of the configuration, never a secret. Null in links and after deletion. */
  integrationConfiguration: Record<string, unknown> | null
  /** Authentication type: a key of `auth_specification` in the spec. */
  authType: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** Display name. */
  integrationAccountName: string
  /** Time of deletion; null if not deleted. */
  deleted: string | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** The link through which the account was created; null if none. */
  linkId: string | null
  /** Groups accounts, for example by user. */
  accountIdentifier: string | null
  /** The tags: values by key. */
  tags: Record<string, string>
  /** Whether the account can be used: active, pending, needs_reauth, error or deleted. */
  status: 'active' | 'pending' | 'needs_reauth' | 'error' | 'deleted' | (string & {})
  /** A stable code that says why the account is not active. `no_refresh_token` on an active account: it works until its access token expires. `unchecked` on an active account: it was imported, and its credentials have not worked yet. Otherwise null. */
  statusReason:
    | 'no_refresh_token'
    | 'invalid_grant'
    | 'token_expired'
    | 'credentials_rejected'
    | 'reply_lost'
    | 'invalid_client'
    | 'oauth_app_missing'
    | 'auth_type_missing'
    | 'invalid_config'
    | 'oauth_app_secret_required'
    | 'authorization_server_changed'
    | (string & {})
    | null
  /** What the provider said about the connection after it was made, such as its site, by name: its value is known to URLs and headers of the integration. Empty for most integrations, and after deletion. */
  facts: Record<
    string,
    {
      /** The value, as the provider has it. */
      value: string
      /** Its display name; null if it has none. */
      label: string | null
      /** All values, if the integration has all of them; `value` is the first. */
      all?:
        | {
            /** The value, as the provider has it. */
            value: string
            /** Its display name; null if it has none. */
            label: string | null
          }[]
        | undefined
    }
  >
  /** When the account got its present status. */
  statusSince: string
  /** The user who connected, as the provider names them. Null if unknown, and after deletion. */
  identity: {
    /** The provider's id of the user; null if unknown. */
    id: string | null
    /** The provider's name of the user, such as an e-mail address; null if unknown. */
    label: string | null
  } | null
}

export interface AccountCount {
  /** All of these accounts. */
  total: number
  /** The numbers of live accounts by status. */
  byStatus: {
    /** Accounts with the status `active`. */
    active: number
    /** Accounts with the status `pending`. */
    pending: number
    /** Accounts with the status `needs_reauth`. */
    needs_reauth: number
    /** Accounts with the status `error`. */
    error: number
  }
  /** The same for each definition with accounts; those with most come first. */
  byDefinition: {
    /** Identifier of the definition. */
    integrationDefinitionId: string
    /** All accounts of the definition. */
    count: number
    /** The numbers of live accounts by status. */
    byStatus: {
      /** Accounts with the status `active`. */
      active: number
      /** Accounts with the status `pending`. */
      pending: number
      /** Accounts with the status `needs_reauth`. */
      needs_reauth: number
      /** Accounts with the status `error`. */
      error: number
    }
    /** Whether the provider rejects so many accounts that rejections change no status: see Get the health of a definition. */
    isSuspect: boolean
  }[]
  /** When the accounts were counted: at most 5 seconds ago, or ten times as long ago as counting took. */
  at: string
}

/** The live accounts that have the same accountIdentifier. */
export interface Customer {
  /** The accountIdentifier of its accounts. */
  accountIdentifier: string
  /** All of its live accounts. */
  connections: number
  /** The numbers of live accounts by status. */
  byStatus: {
    /** Accounts with the status `active`. */
    active: number
    /** Accounts with the status `pending`. */
    pending: number
    /** Accounts with the status `needs_reauth`. */
    needs_reauth: number
    /** Accounts with the status `error`. */
    error: number
  }
  /** When the oldest of these accounts was created. */
  firstAt: string
  /** When the newest of these accounts was created. */
  lastAt: string
}

export interface AccountChange {
  /** When the account changed. */
  timestamp: string
  /** What happened, such as `account.updated`. */
  action: string
  /** The status of the account since then. */
  status: 'active' | 'pending' | 'needs_reauth' | 'error' | 'deleted' | (string & {})
  /** Why it has this status. */
  statusReason:
    | 'no_refresh_token'
    | 'invalid_grant'
    | 'token_expired'
    | 'credentials_rejected'
    | 'reply_lost'
    | 'invalid_client'
    | 'oauth_app_missing'
    | 'auth_type_missing'
    | 'invalid_config'
    | 'oauth_app_secret_required'
    | 'authorization_server_changed'
    | (string & {})
    | null
  /** Who made the change. */
  cause: {
    /** Who made the change. */
    kind: 'token' | 'person' | 'agent' | 'system' | (string & {})
    /** How. */
    via: 'api' | 'mcp' | 'console' | 'page' | 'background' | 'cli' | (string & {})
    /** The request that made the change; null if none did. */
    requestId: string | null
  }
}

/** What is known of the credentials of an account. */
export interface AccountHealth {
  /** Identifier of the account. */
  integrationAccountId: string
  /** When the account got its present status. */
  statusSince: string
  /** Time of the last use, with a resolution of 15 minutes; null: never used. */
  lastUsedAt: string | null
  /** When the provider last accepted the credentials; uses with a resolution of 15 minutes. Null if unknown. */
  lastOkAt: string | null
  /** When a check last said whether the credentials work; null if unknown. */
  checkedAt: string | null
  /** When Linchpin looks at the account next. It checks the credentials then, unless a use or a refresh has proven them since, or checks are off. Null: not yet decided, or the account cannot be used. */
  nextCheckAt: string | null
  /** How often the provider has rejected the credentials since it last accepted them. Of a check, the second rejection counts. */
  rejections: number
  /** Whether the provider rejected the credentials while it rejected those of many accounts: the status is decided when it accepts some again. */
  isHeld: boolean
  /** When a request to the provider, a refresh or a check last failed; the same error with a resolution of a minute. Null: never. A later `lastOkAt` means that it works again. */
  lastErrorAt: string | null
  /** Why it failed; null with `lastErrorAt`. */
  lastErrorCode:
    | 'provider_unauthorized'
    | 'provider_forbidden'
    | 'provider_rate_limited'
    | 'provider_error'
    | 'provider_timeout'
    | 'provider_unreachable'
    | 'refresh_failed'
    | 'check_failed'
    | (string & {})
    | null
  /** The version of the tool that the account uses. */
  version: string
  /** The debug window that is open; null: none. */
  debugWindow: {
    /** When it ends. */
    until: string
    /** How many exchanges it has recorded, of 200. */
    exchanges: number
  } | null
  /** What the customer allowed; null for an account without a sign-in. */
  permissions: {
    /** The scopes of the authorization request; null if unknown. */
    requested: string[] | null
    /** The scopes that the customer granted: a requested one as it was requested, whatever the provider calls it. Null if unknown. */
    granted: string[] | null
    /** Requested scopes that were not granted. */
    missing: string[]
    /** Scopes for whose lack the provider refused requests, those needed longest first. */
    needed: NeededScope[]
    /** Where `granted` comes from: `reported` by the provider; `assumed` to be what was requested, as the provider reports nothing; `unknown` for an account that an earlier version has connected. */
    source: 'reported' | 'assumed' | 'unknown' | (string & {})
  } | null
  /** The times of its token; null for an account without a sign-in. */
  token: {
    /** When the access token expires; null if unknown. */
    expiresAt: string | null
    /** When the tokens were last refreshed; null: never. */
    refreshedAt: string | null
    /** When they will be refreshed; null: not without a use. */
    nextRefreshAt: string | null
    /** Refreshes that have failed since the last success. */
    failures: number
  } | null
  /** The OAuth app that refreshes the tokens; null if none. */
  integrationOAuthAppId: string | null
}

/** A scope that requests needed. */
export interface NeededScope {
  /** The scope. */
  scope: string
  /** When a request first needed it. */
  since: string
  /** How many requests did. */
  count: number
  /** The last of them: its method, and its path with `•` for what may be an id; null if unknown. */
  operation: string | null
}

export interface CreateAccount {
  /** Definition that the account uses, by its ID or key. */
  integrationDefinitionId: string
  /** Display name. */
  integrationAccountName: string
  /** A key of `auth_specification` in the spec, spelled exactly as there. */
  authType: string
  /** The fields that the spec asks for, including credentials. */
  config: Record<string, unknown>
  /** Groups accounts, for example by user. */
  accountIdentifier?: string | null | undefined
  /** At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`. */
  tags?: Record<string, string> | null | undefined
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

export interface CheckAccount {
  /** Definition that the account uses, by its ID or key. */
  integrationDefinitionId: string
  /** The fields that the spec asks for, including credentials. */
  config: Record<string, unknown>
  /** A key of `auth_specification` in the spec, spelled exactly as there. */
  authType: string
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

/** Whether credentials work. */
export type CheckAnswer =
  | {
      /** `true`: the credentials work. */
      status: true
      /** Empty. */
      error: string
    }
  | {
      /** `false`: they do not work. */
      status: false
      /** The message of the integration. */
      error: string
      /** The kind of failure; integrations may return others. */
      code?:
        | 'credentials_rejected'
        | 'insufficient_scope'
        | 'rate_limited'
        | 'wrong_host'
        | 'provider_unreachable'
        | (string & {})
        | undefined
      /** The field that caused the failure. */
      field?: string | undefined
      /** What to do about the failure. */
      hint?: string | undefined
      /** Whether retrying later may succeed. */
      retryable?: boolean | undefined
    }

export interface CheckDefinition {
  /** The integration as data, instead of `sourceUrl` and `bundle`: hosts, authentication, check and identity, as in `entry.schema.json`. `runtime`, `key`, `name`, `category`, `version` and `docs` may be left out. At most 64 kB. */
  entry: Record<string, unknown>
  /** A key of `auth_specification` in the spec, spelled exactly as there. */
  authType?: string | null | undefined
  /** The fields that the spec asks for, including credentials. */
  config?: Record<string, unknown> | null | undefined
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

/** The spec of an entry, and the result of its check. */
export interface CheckedDefinition {
  spec: IntegrationSpec
  result?: CheckAnswer | undefined
  /** What the identity found in the response. */
  identity?:
    | {
        /** The ID; null if its paths lead to none. */
        id: string | null
        /** The display name; null if its paths lead to none. */
        label: string | null
      }
    | undefined
  /** The first ten requests of the check and the identity. */
  exchanges: {
    /** The method of the request. */
    method: string
    /** The status of the response; null without one. */
    status: number | null
    /** The URL with its query, without credentials. */
    url: string
    /** What Linchpin has sent. */
    request: {
      /** The headers, in their order. */
      headers: {
        /** Its name, as sent. */
        name: string
        /** Its value; `[removed]` for credentials. */
        value: string
      }[]
      /** A body. Its credentials are replaced by `[removed]`. */
      body: {
        /** Its first 32 kB, decoded; null if omitted. */
        text: string | null
        /** Its length as it was sent; null if that is not known. */
        bytes: number | null
        /** Whether it was longer than what is stored. */
        isCut: boolean
        /** Why it is not stored: binary, no text; encoding, it could not be decompressed; secrets, it could not be searched for credentials. */
        omitted: 'binary' | 'encoding' | 'secrets' | (string & {}) | null
      }
    }
    /** What the provider has responded; null if it has not. */
    response: {
      /** The headers, in their order. */
      headers: {
        /** Its name, as sent. */
        name: string
        /** Its value; `[removed]` for credentials. */
        value: string
      }[]
      /** A body. Its credentials are replaced by `[removed]`. */
      body: {
        /** Its first 32 kB, decoded; null if omitted. */
        text: string | null
        /** Its length as it was sent; null if that is not known. */
        bytes: number | null
        /** Whether it was longer than what is stored. */
        isCut: boolean
        /** Why it is not stored: binary, no text; encoding, it could not be decompressed; secrets, it could not be searched for credentials. */
        omitted: 'binary' | 'encoding' | 'secrets' | (string & {}) | null
      }
    } | null
  }[]
}

/** Whether the stored credentials of an account work, and the account afterwards. */
export type RecheckAnswer =
  | {
      /** `true`: the credentials work. */
      status: true
      /** Empty. */
      error: string
      /** When the check ended. */
      checkedAt: string
      /** How often the provider has rejected the credentials since it last accepted them. */
      rejections: number
      /** When Linchpin looks at the account next: after a first rejection in about 10 minutes. Null: not yet decided, or the account cannot be used. */
      nextCheckAt: string | null
      account: IntegrationAccount
    }
  | {
      /** `false`: they do not work. */
      status: false
      /** The message of the integration. */
      error: string
      /** The kind of failure; integrations may return others. */
      code?:
        | 'credentials_rejected'
        | 'insufficient_scope'
        | 'rate_limited'
        | 'wrong_host'
        | 'provider_unreachable'
        | (string & {})
        | undefined
      /** The field that caused the failure. */
      field?: string | undefined
      /** What to do about the failure. */
      hint?: string | undefined
      /** Whether retrying later may succeed. */
      retryable?: boolean | undefined
      /** When the check ended. */
      checkedAt: string
      /** How often the provider has rejected the credentials since it last accepted them. */
      rejections: number
      /** When Linchpin looks at the account next: after a first rejection in about 10 minutes. Null: not yet decided, or the account cannot be used. */
      nextCheckAt: string | null
      account: IntegrationAccount
    }

/** Whether rejections of a provider count in a workspace. */
export interface DefinitionHealth {
  /** Identifier of the definition. */
  integrationDefinitionId: string
  /** Whether rejections count. `suspect`: the provider rejects so many accounts that this is taken for an outage. */
  state: 'trusted' | 'suspect' | (string & {})
  /** Since when it is suspect; null if it is not. */
  since: string | null
  /** Accounts whose status is not decided: each is checked when rejections count again. At most 10000 are counted. */
  held: number
  /** Until when the provider has asked for no checks (`Retry-After`); null if it has not. */
  pausedUntil: string | null
}

/** Believes the rejections of a provider again. */
export interface TrustDefinition {
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

export interface ImportAccount {
  /** Definition that the account uses, by its ID or key. */
  integrationDefinitionId: string
  /** Display name. */
  integrationAccountName: string
  /** A key of `auth_specification` in the spec, spelled exactly as there. */
  authType: string
  /** The fields that the spec asks for. Tokens belong into `tokens`. */
  config?: Record<string, unknown> | null | undefined
  /** Groups accounts, for example by user. */
  accountIdentifier?: string | null | undefined
  /** At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`. */
  tags?: Record<string, string> | null | undefined
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
  /** Its identifier in the system that it comes from, such as `nango:github/customer-17`. A workspace has at most one account for each. */
  externalId: string
  /** The tokens of an auth type with OAuth sign-in; for no other. */
  tokens?:
    | {
        /** The access token. Without one, the first use fetches one with the refresh token. */
        accessToken?: string | null | undefined
        /** The refresh token. Nothing else may refresh it from now on. */
        refreshToken?: string | null | undefined
        /** Default: `Bearer`. */
        tokenType?: string | null | undefined
        /** The scopes that the provider granted, as it returned them. */
        scope?: string | null | undefined
        /** When the access token expires. Absent: unknown. */
        expiresAt?: string | null | undefined
      }
    | null
    | undefined
  /** The OAuth app whose client the tokens were issued to. Default: the customer's own app, else the default app. */
  integrationOAuthAppId?: string | null | undefined
  /** When the account was connected. Default: now. */
  createdAt?: string | null | undefined
  /** Whether to check the credentials first, and to store them only if they work. Default: false. */
  check?: boolean | null | undefined
}

export interface UpdateAccount {
  /** Display name. */
  integrationAccountName?: string | null | undefined
  /** A key of `auth_specification` in the spec, spelled exactly as there. */
  authType?: string | null | undefined
  /** The fields that the spec asks for, including credentials. */
  config?: Record<string, unknown> | null | undefined
  /** At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`. */
  tags?: Record<string, string> | null | undefined
}

/** Live credentials of an account. */
export interface AccountCredentials {
  /** Identifier of the account. */
  integrationAccountId: string
  /** Its authentication type. */
  authType: string
  /** The complete configuration, including secrets. */
  config: Record<string, unknown>
  /** Request headers that authenticate right now; null if the integration does not provide any. */
  headers: Record<string, unknown> | null
  /** Query parameters that authenticate, by name; empty if the integration sends its credentials in headers. */
  query: Record<string, unknown>
  /** When the access token in `config` expires; null if there is none, or if the expiry is unknown. */
  expiresAt: string | null
}

export interface StartDebugWindow {
  /** How long it is open, from now; 0 ends the one that is open. */
  seconds: number
}

/** A time in which headers and bodies of the requests of an account are recorded. */
export interface DebugWindow {
  /** When it ends; null: none is open now. */
  until: string | null
}

/** The tombstone of a deleted account. */
export interface DeletedAccount {
  /** Identifier of the account. */
  integrationAccountId: string
  /** Identifier of its definition. */
  integrationDefinitionId: string
  /** The public fields of the configuration, never a secret. Null in links and after deletion. */
  integrationConfiguration: Record<string, unknown> | null
  /** Authentication type: a key of `auth_specification` in the spec. */
  authType: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** Display name. */
  integrationAccountName: string
  /** Time of deletion; null if not deleted. */
  deleted: string | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** The link through which the account was created; null if none. */
  linkId: string | null
  /** Groups accounts, for example by user. */
  accountIdentifier: string | null
  /** The tags: values by key. */
  tags: Record<string, string>
  /** Whether the account can be used: active, pending, needs_reauth, error or deleted. */
  status: 'active' | 'pending' | 'needs_reauth' | 'error' | 'deleted' | (string & {})
  /** A stable code that says why the account is not active. `no_refresh_token` on an active account: it works until its access token expires. `unchecked` on an active account: it was imported, and its credentials have not worked yet. Otherwise null. */
  statusReason:
    | 'no_refresh_token'
    | 'invalid_grant'
    | 'token_expired'
    | 'credentials_rejected'
    | 'reply_lost'
    | 'invalid_client'
    | 'oauth_app_missing'
    | 'auth_type_missing'
    | 'invalid_config'
    | 'oauth_app_secret_required'
    | 'authorization_server_changed'
    | (string & {})
    | null
  /** What the provider said about the connection after it was made, such as its site, by name: its value is known to URLs and headers of the integration. Empty for most integrations, and after deletion. */
  facts: Record<
    string,
    {
      /** The value, as the provider has it. */
      value: string
      /** Its display name; null if it has none. */
      label: string | null
      /** All values, if the integration has all of them; `value` is the first. */
      all?:
        | {
            /** The value, as the provider has it. */
            value: string
            /** Its display name; null if it has none. */
            label: string | null
          }[]
        | undefined
    }
  >
  /** When the account got its present status. */
  statusSince: string
  /** The user who connected, as the provider names them. Null if unknown, and after deletion. */
  identity: {
    /** The provider's id of the user; null if unknown. */
    id: string | null
    /** The provider's name of the user, such as an e-mail address; null if unknown. */
    label: string | null
  } | null
  /** The outcome of revoking the tokens at the provider: revoked, failed, unsupported, or shared (another live account may use the same grant; deleting that account revokes it). Null if there was nothing to revoke and on repeated calls. */
  revocation: 'revoked' | 'failed' | 'unsupported' | 'shared' | (string & {}) | null
}

/** A tool of the MCP server of an account, as the server describes it now. */
export interface IntegrationAccountTool {
  /** By which it is called. Of an unusable tool it may be empty, and have other characters replaced. */
  name: string
  /** accepted: it can be called; suspended: the server describes it differently than it was accepted; unusable: see `problem`. */
  state: 'accepted' | 'suspended' | 'unusable' | (string & {})
  /** Why an unusable tool cannot be called; otherwise null. */
  problem: string | null
  /** SHA-256 of the definition as it is now, in hexadecimal; null if unusable. */
  sha256: string | null
  /** For people; null without one. */
  title: string | null
  /** What the server says that it does: text that anyone may have written. Null without one. */
  description: string | null
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown> | null
  /** JSON Schema of the structured result; null without one. */
  outputSchema: Record<string, unknown> | null
  /** Hints of the server, which decide nothing; null without any. */
  annotations: Record<string, unknown> | null
  /** The accepted definition of a suspended tool; otherwise null. */
  accepted: {
    /** For people; null without one. */
    title: string | null
    /** What the server says that it does: text that anyone may have written. Null without one. */
    description: string | null
    /** JSON Schema of the arguments. */
    inputSchema: Record<string, unknown> | null
    /** JSON Schema of the structured result; null without one. */
    outputSchema: Record<string, unknown> | null
    /** Hints of the server, which decide nothing; null without any. */
    annotations: Record<string, unknown> | null
  } | null
}

export interface AcceptIntegrationAccountTool {
  /** `sha256` of the definition that is accepted, as the list has it. */
  accept: string
}

export interface CallIntegrationAccountTool {
  /** As the `inputSchema` of the tool says. Default: none. */
  arguments?: Record<string, unknown> | null | undefined
}

export interface CreateAgentSession {
  /** Workspace of the accounts. */
  workspaceId?: string | null | undefined
  /** The customer for whom the agent acts: the session has their live accounts, or of them those that the other fields choose. */
  accountIdentifier?: string | null | undefined
  /** The accounts that the agent can use. */
  integrationAccountIds?: string[] | null | undefined
  /** Chooses among the customer's accounts that exist now, instead of `integrationAccountIds`. */
  select?:
    | {
        /** At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`. */
        tags?: Record<string, string> | undefined
        /** Only accounts of these tools. */
        integrationDefinitionIds?: string[] | undefined
      }
    | null
    | undefined
  /** Without a rule that matches, GET and HEAD are allowed, and all other methods denied. */
  rules?:
    | {
        /** Deny wins over approve, and approve over allow. With approve, each request waits until a person has approved it. */
        effect: 'allow' | 'approve' | 'deny'
        /** Only requests with these methods. Default: any. */
        methods?: ('GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[] | undefined
        /** Only paths that match, as they are sent to the provider, from the first slash after the host. `*` stands for one segment, and `**` at the end for all that follow. Default: any. */
        path?: string | undefined
        /** Only requests to these hosts. Default: any that the integration allows. */
        hosts?: string[] | undefined
        /** Only accounts of these tools. Default: any. */
        integrationDefinitionIds?: string[] | undefined
        /** Only calls of these tools of MCP servers, which no rule without `tools` allows; `*` stands for any. Not together with `methods` or `path`. */
        tools?: string[] | undefined
      }[]
    | null
    | undefined
  /** The limits of the session. */
  limits?:
    | {
        /** Requests in one minute, at most. Default: 60. */
        callsPerMinute?: number | undefined
        /** Requests in all, at most. Default: 1,000. */
        calls?: number | undefined
        /** Requests with other methods than GET and HEAD, at most. Default: 50. */
        writes?: number | undefined
        /** Bytes of the body of a request, and of a response, which is cut, at most. Default: 65,536. */
        bytes?: number | undefined
      }
    | null
    | undefined
  /** Who can approve requests: a token with the scope `agents:approve`, the customer on a page after a sign-in at the product, or either of them. Default: backend. */
  approver?: 'backend' | 'person' | 'either' | null | undefined
  /** Whether the agent can ask the customer to connect or reconnect an account, on a page after a sign-in at the product. Default: false. */
  mayConnect?: boolean | null | undefined
  /** Seconds until the session ends, at most until its creating token does. Default: 3,600. */
  expiresIn?: number | null | undefined
}

/** A new agent session. */
export interface NewAgentSession {
  /** Identifier of the agent session. Not secret. */
  agentSessionId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The customer whose accounts they are; null if none was named. */
  accountIdentifier: string | null
  /** Without a rule that matches, GET and HEAD are allowed, and all other methods denied. */
  rules: {
    /** Deny wins over approve, and approve over allow. With approve, each request waits until a person has approved it. */
    effect: 'allow' | 'approve' | 'deny' | (string & {})
    /** Only requests with these methods. Default: any. */
    methods?:
      | ('GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {}))[]
      | undefined
    /** Only paths that match, as they are sent to the provider, from the first slash after the host. `*` stands for one segment, and `**` at the end for all that follow. Default: any. */
    path?: string | undefined
    /** Only requests to these hosts. Default: any that the integration allows. */
    hosts?: string[] | undefined
    /** Only accounts of these tools. Default: any. */
    integrationDefinitionIds?: string[] | undefined
    /** Only calls of these tools of MCP servers, which no rule without `tools` allows; `*` stands for any. Not together with `methods` or `path`. */
    tools?: string[] | undefined
  }[]
  /** Who can approve requests: a token with the scope `agents:approve`, the customer on a page after a sign-in at the product, or either of them. */
  approver: 'backend' | 'person' | 'either' | (string & {})
  /** Whether the agent can ask the customer to connect or reconnect an account, on a page after a sign-in at the product. */
  mayConnect: boolean
  /** The MCP client with which the customer has signed in: its URL, or the ID of its registration. Null if the session has a token. */
  clientId: string | null
  /** What this client calls itself, which is not verified. */
  clientName: string | null
  /** The accounts that the agent can use. */
  integrationAccountIds: string[]
  /** The limits of the session. */
  limits: {
    /** Requests in one minute, at most. Default: 60. */
    callsPerMinute: number
    /** Requests in all, at most. Default: 1,000. */
    calls: number
    /** Requests with other methods than GET and HEAD, at most. Default: 50. */
    writes: number
    /** Bytes of the body of a request, and of a response, which is cut, at most. Default: 65,536. */
    bytes: number
  }
  /** What the session has used of its limits. */
  usage: {
    /** Requests so far, denied ones included. */
    calls: number
    /** Requests with other methods than GET and HEAD. */
    writes: number
  }
  /** Creation time. */
  createdAt: string
  /** Until when the session can be used. */
  expiresAt: string
  /** When it was revoked; null if it was not. */
  revokedAt: string | null
  /** The token of the agent, for the proxy, Get account and `mcpURL`. Returned only once. */
  token: string
  /** The MCP server for this token. */
  mcpURL: string
}

/** What an agent may do with accounts. */
export interface AgentSession {
  /** Identifier of the agent session. Not secret. */
  agentSessionId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The customer whose accounts they are; null if none was named. */
  accountIdentifier: string | null
  /** Without a rule that matches, GET and HEAD are allowed, and all other methods denied. */
  rules: {
    /** Deny wins over approve, and approve over allow. With approve, each request waits until a person has approved it. */
    effect: 'allow' | 'approve' | 'deny' | (string & {})
    /** Only requests with these methods. Default: any. */
    methods?:
      | ('GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {}))[]
      | undefined
    /** Only paths that match, as they are sent to the provider, from the first slash after the host. `*` stands for one segment, and `**` at the end for all that follow. Default: any. */
    path?: string | undefined
    /** Only requests to these hosts. Default: any that the integration allows. */
    hosts?: string[] | undefined
    /** Only accounts of these tools. Default: any. */
    integrationDefinitionIds?: string[] | undefined
    /** Only calls of these tools of MCP servers, which no rule without `tools` allows; `*` stands for any. Not together with `methods` or `path`. */
    tools?: string[] | undefined
  }[]
  /** Who can approve requests: a token with the scope `agents:approve`, the customer on a page after a sign-in at the product, or either of them. */
  approver: 'backend' | 'person' | 'either' | (string & {})
  /** Whether the agent can ask the customer to connect or reconnect an account, on a page after a sign-in at the product. */
  mayConnect: boolean
  /** The MCP client with which the customer has signed in: its URL, or the ID of its registration. Null if the session has a token. */
  clientId: string | null
  /** What this client calls itself, which is not verified. */
  clientName: string | null
  /** The accounts that the agent can use. */
  integrationAccountIds: string[]
  /** The limits of the session. */
  limits: {
    /** Requests in one minute, at most. Default: 60. */
    callsPerMinute: number
    /** Requests in all, at most. Default: 1,000. */
    calls: number
    /** Requests with other methods than GET and HEAD, at most. Default: 50. */
    writes: number
    /** Bytes of the body of a request, and of a response, which is cut, at most. Default: 65,536. */
    bytes: number
  }
  /** What the session has used of its limits. */
  usage: {
    /** Requests so far, denied ones included. */
    calls: number
    /** Requests with other methods than GET and HEAD. */
    writes: number
  }
  /** Creation time. */
  createdAt: string
  /** Until when the session can be used. */
  expiresAt: string
  /** When it was revoked; null if it was not. */
  revokedAt: string | null
}

/** What an agent asks a person for: to send one request, once. */
export interface AgentApproval {
  /** Identifier of the approval. Not secret. */
  agentApprovalId: string
  /** The session of the agent that asks. */
  agentSessionId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The account that the request is for. */
  integrationAccountId: string
  /** The method of the request. */
  method: string
  /** The host that it is sent to. */
  host: string
  /** Its path, with `{}` for what may be an identifier. */
  path: string
  /** pending, approved, denied, used (the request was sent) or expired. */
  status: 'pending' | 'approved' | 'denied' | 'used' | 'expired' | (string & {})
  /** The user who decided, `customer`, or `agent` if it was withdrawn; null if it was not decided. */
  decidedBy: string | null
  /** When it was decided; null if it was not. */
  decidedAt: string | null
  /** When the agent asked. */
  createdAt: string
  /** Until when it can be decided and used. */
  expiresAt: string
}

/** An approval, and the request that is sent once it is approved. */
export interface AgentApprovalWithRequest {
  /** Identifier of the approval. Not secret. */
  agentApprovalId: string
  /** The session of the agent that asks. */
  agentSessionId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The account that the request is for. */
  integrationAccountId: string
  /** The method of the request. */
  method: string
  /** The host that it is sent to. */
  host: string
  /** Its path, with `{}` for what may be an identifier. */
  path: string
  /** pending, approved, denied, used (the request was sent) or expired. */
  status: 'pending' | 'approved' | 'denied' | 'used' | 'expired' | (string & {})
  /** The user who decided, `customer`, or `agent` if it was withdrawn; null if it was not decided. */
  decidedBy: string | null
  /** When it was decided; null if it was not. */
  decidedAt: string | null
  /** When the agent asked. */
  createdAt: string
  /** Until when it can be decided and used. */
  expiresAt: string
  /** What is sent once it is approved. */
  request: {
    /** Its whole URL. */
    url: string
    /** The headers that the agent chose, without those that do not matter, such as `user-agent`. */
    headers: {
      /** The name. */
      name: string
      /** The value. */
      value: string
    }[]
    /** The body as text; null if it is empty or binary. */
    body: string | null
    /** The length of the body. */
    bytes: number
    /** The SHA-256 of a binary body, in hexadecimal digits; else null. */
    sha256: string | null
  }
}

export interface DecideAgentApproval {
  /** approve: the agent can send the request once. */
  decision: 'approve' | 'deny'
}

/** What agents may do with an account. */
export interface AgentAccess {
  /** Identifier of the account. */
  integrationAccountId: string
  /** `full`: what the rules of their sessions allow. `read_only`: of that, only GET and HEAD, and nothing where a GET may write. `paused`: nothing. */
  access: 'full' | 'read_only' | 'paused' | (string & {})
}

export interface UpdateAgentAccess {
  /** `full`: what the rules of their sessions allow. `read_only`: of that, only GET and HEAD, and nothing where a GET may write. `paused`: nothing. */
  access: 'full' | 'read_only' | 'paused'
}

/** A page for one customer, whom the product has to identify first. */
export interface SignInRequest {
  /** Identifier of the request, which is in its URL. Not secret. */
  signInRequestId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The session of the agent that asks; with consent, the one that begins with it. */
  agentSessionId: string
  /** approval: to approve or deny a request of the agent; connect: to connect or reconnect an account; consent: to let an MCP client use the accounts of the customer. */
  purpose: 'approval' | 'connect' | 'consent' | (string & {})
  /** What the MCP client calls itself, which is not verified; null for other purposes. */
  clientName: string | null
  /** created, opened (a browser is bound to it), verified (the customer is at the page), completed, refused or expired. */
  status: 'created' | 'opened' | 'verified' | 'completed' | 'refused' | 'expired' | (string & {})
  /** Creation time. */
  createdAt: string
  /** Until when it can be used. */
  expiresAt: string
}

export interface ConfirmSignIn {
  /** The customer who is signed in at the product in this browser. */
  accountIdentifier: string
}

/** A confirmed sign-in request. */
export interface ConfirmedSignIn {
  /** Identifier of the request, which is in its URL. Not secret. */
  signInRequestId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The session of the agent that asks; with consent, the one that begins with it. */
  agentSessionId: string
  /** approval: to approve or deny a request of the agent; connect: to connect or reconnect an account; consent: to let an MCP client use the accounts of the customer. */
  purpose: 'approval' | 'connect' | 'consent' | (string & {})
  /** What the MCP client calls itself, which is not verified; null for other purposes. */
  clientName: string | null
  /** created, opened (a browser is bound to it), verified (the customer is at the page), completed, refused or expired. */
  status: 'created' | 'opened' | 'verified' | 'completed' | 'refused' | 'expired' | (string & {})
  /** Creation time. */
  createdAt: string
  /** Until when it can be used. */
  expiresAt: string
  /** Redirect the browser of the person there. Valid once, for two minutes. */
  returnURL: string
}

/** A shareable link through which customers add accounts. */
export interface Link {
  /** Identifier of the link. Anyone who knows it can add accounts. */
  linkId: string
  /** Name of the link. */
  linkName: string
  /** Whether the link can expire. */
  canExpire: boolean
  /** Whether the link accepts only OAuth sign-in. */
  preferOAuth: boolean
  /** Lifetime in seconds; 0 if the link does not expire. */
  expiresIn: number
  /** URL of its page. Anyone who opens it can add accounts. */
  url: string
  /** Categories that the link supports. */
  category: Category[]
  /** The only definitions that the link supports; empty for no such restriction. */
  integrationDefinitionIds: string[]
  /** Identifier of the workspace. */
  workspaceId: string
  /** Maximum number of live accounts; null: unlimited. */
  maxAccounts: number | null
  /** Maximum number of live accounts per accountIdentifier; null: unlimited. */
  maxAccountsPerIdentifier: number | null
  /** Origins that may embed the page of the link. Empty: the workspace's list applies. */
  allowedOrigins: string[]
  /** URLs that the page may redirect to. Empty: the workspace's list applies. */
  redirectURLs: string[]
  /** Whether its page refuses visitors without a connect session. */
  sessionsOnly: boolean
  /** The OAuth app that sign-ins to its definition use; null: the default app. */
  integrationOAuthAppId: string | null
  /** Whether only sign-ins with the customer's own OAuth app are accepted. */
  requireCustomerApp: boolean
  /** The scopes that a sign-in requests in place of those of the OAuth app, by the ID of the definition. Empty: those of the app. */
  scopes: Record<string, string[]>
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** Newest live accounts of the link, at most 100. */
  IntegrationAccount?: IntegrationAccount[] | undefined
  /** Usage of the link, updated every second. */
  counters?:
    | {
        /** How often the page of the link was opened. */
        opens: number
        /** Number of attempts to connect an account. */
        attempts: number
        /** Number of attempts that created or reconnected an account. */
        successes: number
      }
    | undefined
}

/** A link with its accounts and definitions. */
export interface ExtendedLink {
  /** Identifier of the link. Anyone who knows it can add accounts. */
  linkId: string
  /** Name of the link. */
  linkName: string
  /** Whether the link can expire. */
  canExpire: boolean
  /** Whether the link accepts only OAuth sign-in. */
  preferOAuth: boolean
  /** Lifetime in seconds; 0 if the link does not expire. */
  expiresIn: number
  /** URL of its page. Anyone who opens it can add accounts. */
  url: string
  /** Categories that the link supports. */
  category: Category[]
  /** The only definitions that the link supports; empty for no such restriction. */
  integrationDefinitionIds: string[]
  /** Identifier of the workspace. */
  workspaceId: string
  /** Maximum number of live accounts; null: unlimited. */
  maxAccounts: number | null
  /** Maximum number of live accounts per accountIdentifier; null: unlimited. */
  maxAccountsPerIdentifier: number | null
  /** Origins that may embed the page of the link. Empty: the workspace's list applies. */
  allowedOrigins: string[]
  /** URLs that the page may redirect to. Empty: the workspace's list applies. */
  redirectURLs: string[]
  /** Whether its page refuses visitors without a connect session. */
  sessionsOnly: boolean
  /** The OAuth app that sign-ins to its definition use; null: the default app. */
  integrationOAuthAppId: string | null
  /** Whether only sign-ins with the customer's own OAuth app are accepted. */
  requireCustomerApp: boolean
  /** The scopes that a sign-in requests in place of those of the OAuth app, by the ID of the definition. Empty: those of the app. */
  scopes: Record<string, string[]>
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** Newest live accounts of the link, at most 100. */
  IntegrationAccount?: IntegrationAccount[] | undefined
  /** Usage of the link, updated every second. */
  counters: {
    /** How often the page of the link was opened. */
    opens: number
    /** Number of attempts to connect an account. */
    attempts: number
    /** Number of attempts that created or reconnected an account. */
    successes: number
  }
  /** Whether the link has expired or was revoked. */
  expired: boolean
  /** IDs of the definitions in integrationDefinitions that cannot be connected until the workspace has an OAuth app for them or, with requireCustomerApp, the customer has one. */
  missingOAuthApps: string[]
  /** Why attempts were rejected, most frequent first. */
  refusals: {
    /** The error code. */
    code: string
    /** Number of attempts that failed with this code. */
    count: number
  }[]
  /** The same accounts as in IntegrationAccount. */
  integrationAccounts?: IntegrationAccount[] | undefined
  /** The definitions that the link allows. */
  integrationDefinitions: IntegrationDefinition[]
}

export interface CreateLink {
  /** Name of the link. */
  linkName: string
  /** Categories that the link supports. */
  category?: (string | Record<string, unknown>)[] | null | undefined
  /** Lifetime in whole seconds. 0 or omitted: the link does not expire. */
  expiresIn?: number | null | undefined
  /** Whether the link can expire. True requires expiresIn. Default: true if expiresIn is set. */
  canExpire?: boolean | null | undefined
  /** Accept only OAuth sign-in. Default: false. */
  preferOAuth?: boolean | null | undefined
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
  /** Restricts the link to one definition, by its ID or key. */
  integrationDefinitionId?: string | null | undefined
  /** Restricts the link to these definitions, whatever their categories. Not together with integrationDefinitionId. */
  integrationDefinitionIds?: string[] | null | undefined
  /** Maximum number of live accounts. Default: unlimited. */
  maxAccounts?: number | null | undefined
  /** Maximum number of live accounts per accountIdentifier. Accounts without one form one group. */
  maxAccountsPerIdentifier?: number | null | undefined
  /** Origins that may embed the page of the link, instead of the workspace's allowedFrameOrigins. */
  allowedOrigins?: string[] | null | undefined
  /** URLs that the page may redirect to, instead of the workspace's allowedRedirectURLs. Compared exactly. */
  redirectURLs?: string[] | null | undefined
  /** Its page refuses visitors without a connect session. Default: false. */
  sessionsOnly?: boolean | null | undefined
  /** The OAuth app with which people sign in to its definition, instead of the default app. An app of the workspace, not of a customer. */
  integrationOAuthAppId?: string | null | undefined
  /** Accept sign-ins with the customer's own OAuth app only. Default: false. Not together with integrationOAuthAppId. */
  requireCustomerApp?: boolean | null | undefined
  /** The scopes that sign-ins request, in place of those of the OAuth app. They cannot be changed later. At most 100 each, by the ID or key of the definition; of those of the integration, and of `scopes` and `optionalScopes` of its OAuth app. */
  scopes?: Record<string, string[]> | null | undefined
}

export interface UpdateLink {
  /** Name of the link. */
  linkName?: string | null | undefined
  /** Maximum number of live accounts; null: unlimited. */
  maxAccounts?: number | null | undefined
  /** Maximum number of live accounts per accountIdentifier; null: unlimited. */
  maxAccountsPerIdentifier?: number | null | undefined
  /** Origins that may embed the page of the link, instead of the workspace's allowedFrameOrigins. */
  allowedOrigins?: string[] | null | undefined
  /** URLs that the page may redirect to, instead of the workspace's allowedRedirectURLs. Compared exactly. */
  redirectURLs?: string[] | null | undefined
}

/** A link without its accounts and definitions. */
export interface LinkSettings {
  /** Identifier of the link. Anyone who knows it can add accounts. */
  linkId: string
  /** Name of the link. */
  linkName: string
  /** Whether the link can expire. */
  canExpire: boolean
  /** Whether the link accepts only OAuth sign-in. */
  preferOAuth: boolean
  /** Lifetime in seconds; 0 if the link does not expire. */
  expiresIn: number
  /** URL of its page. Anyone who opens it can add accounts. */
  url: string
  /** Categories that the link supports. */
  category: Category[]
  /** The only definitions that the link supports; empty for no such restriction. */
  integrationDefinitionIds: string[]
  /** Identifier of the workspace. */
  workspaceId: string
  /** Maximum number of live accounts; null: unlimited. */
  maxAccounts: number | null
  /** Maximum number of live accounts per accountIdentifier; null: unlimited. */
  maxAccountsPerIdentifier: number | null
  /** Origins that may embed the page of the link. Empty: the workspace's list applies. */
  allowedOrigins: string[]
  /** URLs that the page may redirect to. Empty: the workspace's list applies. */
  redirectURLs: string[]
  /** Whether its page refuses visitors without a connect session. */
  sessionsOnly: boolean
  /** The OAuth app that sign-ins to its definition use; null: the default app. */
  integrationOAuthAppId: string | null
  /** Whether only sign-ins with the customer's own OAuth app are accepted. */
  requireCustomerApp: boolean
  /** The scopes that a sign-in requests in place of those of the OAuth app, by the ID of the definition. Empty: those of the app. */
  scopes: Record<string, string[]>
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
}

export interface CreateAccountThroughLink {
  /** Definition that the account uses, by its ID or key. */
  integrationDefinitionId: string
  /** Display name. */
  integrationAccountName: string
  /** A key of `auth_specification` in the spec, spelled exactly as there. */
  authType: string
  /** The fields that the spec asks for, including credentials. */
  config: Record<string, unknown>
  /** Groups accounts, for example by user. */
  accountIdentifier?: string | null | undefined
  /** At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`. */
  tags?: Record<string, string> | null | undefined
}

export interface CreateConnectSession {
  /** Workspace identifier. Not together with linkId, which implies it. */
  workspaceId?: string | null | undefined
  /** A link whose restrictions, limits, origins and redirect URLs apply. Without one, the workspace's origins and redirect URLs apply. */
  linkId?: string | null | undefined
  /** Default: connect. manage requires accounts:write and accountIdentifier. app requires apps:write, accountIdentifier and one definition: the customer's administrator enters an OAuth app of their own, then connects. */
  mode?: 'connect' | 'manage' | 'app' | null | undefined
  /** The accountIdentifier of every account of the session. Nothing in the browser can change it. */
  accountIdentifier?: string | null | undefined
  /** The account to reconnect, instead of adding one. Requires accounts:reconnect. Excludes integrationDefinitionIds, category, maxAccounts, tags and the mode manage. */
  integrationAccountId?: string | null | undefined
  /** Offers only these definitions. */
  integrationDefinitionIds?: string[] | null | undefined
  /** Offers only these categories. */
  category?: (string | Record<string, unknown>)[] | null | undefined
  /** Values of fields, which the person sees but cannot change. With a secret, every field that may choose a host must be given too. */
  config?: Record<string, unknown> | null | undefined
  /** Fields of config that the person does not see. */
  hiddenConfig?: string[] | null | undefined
  /** The scopes that sign-ins request, in place of those of the link or of the OAuth app. With integrationAccountId: what to request in addition to what the account has. At most 100 each, by the ID or key of the definition; of those of the integration, and of `scopes` and `optionalScopes` of its OAuth app. */
  scopes?: Record<string, string[]> | null | undefined
  /** At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`. */
  tags?: Record<string, string> | null | undefined
  /** One of the link's redirectURLs or, if it has none, of the workspace's. */
  redirectURL?: string | null | undefined
  /** The language of the page. Default: the browser's. */
  lang?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'ja' | 'ar' | null | undefined
  /** How many accounts complete the session. Default: 1. */
  maxAccounts?: number | null | undefined
  /** Lifetime in seconds. Default: 1800; 3600 with the mode manage; 604800 with the mode app and with integrationAccountId. */
  expiresIn?: number | null | undefined
  /** The OAuth app with which the person signs in to its definition, instead of the customer's own or the default app. An app of the workspace or of this customer. */
  integrationOAuthAppId?: string | null | undefined
  /** Accept sign-ins with the customer's own OAuth app only. Requires accountIdentifier or integrationAccountId. Default: false. */
  requireCustomerApp?: boolean | null | undefined
  /** Only with the mode app: hosts that may receive the client secret if a configuration determines the host. Default: as in Create OAuth app. */
  allowedHosts?: string[] | null | undefined
}

/** A new connect session, with its token. */
export interface NewConnectSession {
  /** Identifier of the connect session. */
  connectSessionId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The link whose restrictions apply; null: the settings of the workspace apply. */
  linkId: string | null
  /** connect: to add accounts; manage: the portal; app: the customer's administrator enters an OAuth app first. */
  mode: 'connect' | 'manage' | 'app' | (string & {})
  /** The accountIdentifier of every account of the session. */
  accountIdentifier: string | null
  /** The account to reconnect; null to add accounts. */
  integrationAccountId: string | null
  /** The only definitions that it offers. Empty: those of the link or, without one, all. */
  integrationDefinitionIds: string[]
  /** The only categories that it offers. Empty: those of the link or, without one, all. */
  category: Category[]
  /** The fields whose values are given. The values are not returned. */
  configFields: string[]
  /** The scopes that a sign-in requests in place of those of the OAuth app, by the ID of the definition. Empty: those of the app. */
  scopes: Record<string, string[]>
  /** The tags: values by key. */
  tags: Record<string, string>
  /** Where the person returns to. */
  redirectURL: string | null
  /** The language of the page; null: the browser's. */
  lang: string | null
  /** How many accounts complete the session. */
  maxAccounts: number
  /** The OAuth app that sign-ins to its definition use; null: that of its link, the customer or the workspace. With the mode app: the app that was entered. */
  integrationOAuthAppId: string | null
  /** Whether only sign-ins with the customer's own OAuth app are accepted. */
  requireCustomerApp: boolean
  /** created, opened (a browser is bound to it), completed, expired or revoked. */
  status: 'created' | 'opened' | 'completed' | 'expired' | 'revoked' | (string & {})
  /** The accounts that were connected in the session, oldest first. */
  integrationAccountIds: string[]
  /** Why the last attempt failed; null after a success. */
  lastError: {
    /** A code, as in the event connect.failed. */
    code: string
    /** When the attempt failed. */
    at: string
  } | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** When a person pressed the button. */
  openedAt: string | null
  /** When the last account was connected. */
  completedAt: string | null
  /** Until when the session can be used. */
  expiresAt: string
  /** The token for openLink. Returned this once. */
  token: string
  /** The URL of the page. Returned this once. */
  url: string
}

/** A session in which one customer connects accounts. */
export interface ConnectSession {
  /** Identifier of the connect session. */
  connectSessionId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** The link whose restrictions apply; null: the settings of the workspace apply. */
  linkId: string | null
  /** connect: to add accounts; manage: the portal; app: the customer's administrator enters an OAuth app first. */
  mode: 'connect' | 'manage' | 'app' | (string & {})
  /** The accountIdentifier of every account of the session. */
  accountIdentifier: string | null
  /** The account to reconnect; null to add accounts. */
  integrationAccountId: string | null
  /** The only definitions that it offers. Empty: those of the link or, without one, all. */
  integrationDefinitionIds: string[]
  /** The only categories that it offers. Empty: those of the link or, without one, all. */
  category: Category[]
  /** The fields whose values are given. The values are not returned. */
  configFields: string[]
  /** The scopes that a sign-in requests in place of those of the OAuth app, by the ID of the definition. Empty: those of the app. */
  scopes: Record<string, string[]>
  /** The tags: values by key. */
  tags: Record<string, string>
  /** Where the person returns to. */
  redirectURL: string | null
  /** The language of the page; null: the browser's. */
  lang: string | null
  /** How many accounts complete the session. */
  maxAccounts: number
  /** The OAuth app that sign-ins to its definition use; null: that of its link, the customer or the workspace. With the mode app: the app that was entered. */
  integrationOAuthAppId: string | null
  /** Whether only sign-ins with the customer's own OAuth app are accepted. */
  requireCustomerApp: boolean
  /** created, opened (a browser is bound to it), completed, expired or revoked. */
  status: 'created' | 'opened' | 'completed' | 'expired' | 'revoked' | (string & {})
  /** The accounts that were connected in the session, oldest first. */
  integrationAccountIds: string[]
  /** Why the last attempt failed; null after a success. */
  lastError: {
    /** A code, as in the event connect.failed. */
    code: string
    /** When the attempt failed. */
    at: string
  } | null
  /** Creation time. */
  createdAt: string
  /** Time of last update. */
  updatedAt: string
  /** When a person pressed the button. */
  openedAt: string | null
  /** When the last account was connected. */
  completedAt: string | null
  /** Until when the session can be used. */
  expiresAt: string
}

export interface CreateBulkJob {
  /** check: as Recheck integration account; delete: as Delete integration account; connect_session: a reconnect page for each, as Create connect session. */
  action: 'check' | 'delete' | 'connect_session'
  /** The accounts, all of one workspace. */
  integrationAccountIds: string[]
  /** Only returns what would happen. Nothing is stored. */
  dryRun?: boolean | undefined
  /** Workspace of the accounts. */
  workspaceId?: string | null | undefined
}

/** An action for many accounts, and what became of each. */
export interface BulkJob {
  /** Identifier; null for a dry run. */
  bulkJobId: string | null
  /** Identifier of the workspace. */
  workspaceId: string
  /** What is done with each account. */
  action: 'check' | 'delete' | 'connect_session' | (string & {})
  /** planned: a dry run, nothing happens; running: it continues in the background. */
  state: 'planned' | 'running' | 'finished' | (string & {})
  /** How many accounts have which outcome. */
  counts: {
    /** All accounts. */
    total: number
    /** Accounts that it has not begun with. */
    waiting: number
    /** Accounts that it is working on. */
    running: number
    /** Accounts where it succeeded. */
    done: number
    /** Accounts where it failed. */
    failed: number
    /** Accounts where nothing was done. */
    skipped: number
  }
  /** When it was created. */
  createdAt: string
  /** When it finished; null before. */
  finishedAt: string | null
  /** One per account, in the order of the request. */
  results: BulkJobResult[]
}

/** What became of an account in a bulk job. */
export interface BulkJobResult {
  /** The account. */
  integrationAccountId: string
  /** Its tool. */
  integrationDefinitionId: string
  /** Its name; null once the account is no longer retained. */
  integrationAccountName: string | null
  /** Its accountIdentifier, if any. */
  accountIdentifier: string | null
  /** waiting: not yet, and in a dry run: it would be done; done: it succeeded, for a check: the credentials work; skipped: nothing was or would be done. */
  outcome: 'waiting' | 'running' | 'done' | 'failed' | 'skipped' | (string & {})
  /** Why it failed or was skipped: an error code. */
  code: string | null
  /** The reconnect page, for an hour after it was created, and only for who created the job. */
  url?: string | undefined
}

/** An attempt to connect an account, and how it ended. */
export interface Attempt {
  /** Identifier of the attempt. */
  attemptId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** When the attempt ended. */
  at: string
  /** The tool; null if the request named none that it may use. */
  integrationDefinitionId: string | null
  /** Its key. */
  integrationDefinitionKey: string | null
  /** Its name. */
  integrationDefinitionName: string | null
  /** The method. */
  authType: string | null
  /** api: a request to create or check an account; link, connect_session: a page; oauth: POST /v1/oauth. */
  via: 'api' | 'link' | 'connect_session' | 'oauth' | (string & {})
  /** connected; accepted (a check found that the credentials work); failed; cancelled (the person declined); abandoned (no one returned from the sign-in). */
  outcome: 'connected' | 'accepted' | 'failed' | 'cancelled' | 'abandoned' | (string & {})
  /** Why it failed, as in the error or the event connect.failed. */
  code: string | null
  /** The HTTP status of the provider's last response, if known. */
  providerStatus: number | null
  /** The provider's id of that request, from the headers of its response; its support may ask for it. */
  providerRequestId: string | null
  /** The request that ended the attempt, as in the log. */
  requestId: string | null
  /** The account that was connected or should be reconnected. */
  integrationAccountId: string | null
  /** The link. */
  linkId: string | null
  /** The connect session. */
  connectSessionId: string | null
  /** The accountIdentifier of the attempt. */
  accountIdentifier: string | null
}

/** How many attempts ended how. */
export interface AttemptCount {
  /** The attempts that were counted. */
  total: number
  /** Attempts that ended alike; the largest groups come first. */
  groups: {
    /** connected; accepted (a check found that the credentials work); failed; cancelled (the person declined); abandoned (no one returned from the sign-in). */
    outcome: 'connected' | 'accepted' | 'failed' | 'cancelled' | 'abandoned' | (string & {})
    /** Why it failed, as in the error or the event connect.failed. */
    code: string | null
    /** The tool; null if the request named none that it may use. */
    integrationDefinitionId: string | null
    /** Its name. */
    integrationDefinitionName: string | null
    /** The attempts of the group. */
    count: number
    /** When the last of them ended. */
    lastAt: string
  }[]
}

export interface StartOAuth {
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
  /** Link to add the account through. Implies the workspace. */
  linkId?: string | null | undefined
  /** OAuth app to use. Implies the definition. */
  integrationOAuthAppId?: string | null | undefined
  /** Definition of the account, whose OAuth app in the workspace is used, by its ID or key. */
  integrationDefinitionId?: string | null | undefined
  /** Display name. Required unless an account is reconnected. */
  integrationAccountName?: string | null | undefined
  /** An auth type of the spec. Default: that of the account to reconnect, else OAuth2, else the first type that uses OAuth. */
  authType?: string | null | undefined
  /** URL the user returns to. Must be exactly one of the workspace's allowedRedirectURLs. */
  redirectURL?: string | null | undefined
  /** Fields of the spec that the provider does not fill, such as a subdomain. */
  config?: Record<string, unknown> | null | undefined
  /** Groups accounts, for example by user. */
  accountIdentifier?: string | null | undefined
  /** Account to reconnect. Omit it to create an account. */
  integrationAccountId?: string | null | undefined
  /** Whether your backend confirms the connection (POST /v1/oauth/confirm). Default: true. */
  confirm?: boolean | null | undefined
  /** Whether a different user may sign in on a reconnect. Default: false. */
  allowOtherIdentity?: boolean | null | undefined
}

/** The page on which the user signs in. */
export interface StartedOAuth {
  /** Always 200. */
  status: number
  /** URL of a sign-in page, valid for one use within 10 minutes. Redirect the user to it. */
  redirectURL: string
}

export interface ConfirmOAuth {
  /** The one-time token from the query of redirectURL. */
  confirmToken: string
}

export interface Event {
  /** Identifies the event. */
  id: string
  /** The kind of change. Expect types that you do not know. */
  type:
    | 'account.created'
    | 'account.updated'
    | 'account.reconnected'
    | 'account.facts_changed'
    | 'account.permissions_changed'
    | 'account.permission_needed'
    | 'account.agent_access_changed'
    | 'account.tool_changed'
    | 'account.needs_reauth'
    | 'account.error'
    | 'account.recovered'
    | 'account.deleted'
    | 'connect.failed'
    | 'connect_session.created'
    | 'connect_session.opened'
    | 'connect_session.completed'
    | 'connect_session.expired'
    | 'connect_session.revoked'
    | 'agent_session.created'
    | 'agent_session.revoked'
    | 'agent.approval_requested'
    | 'agent.approval_decided'
    | 'link.created'
    | 'link.updated'
    | 'link.revoked'
    | 'link.expired'
    | 'link.full'
    | 'definition.created'
    | 'definition.upgraded'
    | 'definition.rolled_back'
    | 'definition.overridden'
    | 'definition.deleted'
    | 'definition.update_available'
    | 'definition.suspect'
    | 'definition.trusted'
    | 'oauth_app.failing'
    | 'oauth_app.recovered'
    | 'token.expiring'
    | 'audit.checkpoint'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook.test'
    | (string & {})
  /** The version of `data`. */
  version: number
  /** When the change happened. */
  timestamp: string
  /** Its workspace. */
  workspaceId: string
  /** Counts the events of the workspace without gaps, in the order of their commits. */
  sequence: number
  /** The id of the resource that changed. */
  subject: string
  /** The accountIdentifier of the account. */
  accountIdentifier: string | null
  /** Who made the change. */
  cause: {
    /** Who made the change. */
    kind: 'token' | 'person' | 'agent' | 'system' | (string & {})
    /** How. */
    via: 'api' | 'mcp' | 'console' | 'page' | 'background' | 'cli' | (string & {})
    /** The request that made the change; null if none did. */
    requestId: string | null
  }
  /** A snapshot of the resource after the change, and what the type adds. */
  data: Record<string, unknown>
}

export interface CreateWebhookEndpoint {
  /** Where events are posted: https, without user name, password and fragment. */
  url: string
  /** What the endpoint is for. */
  description?: string | null | undefined
  /** Types such as account.created and prefixes such as account.*. Empty: all. */
  types?: string[] | null | undefined
  /** Only events of these definitions and of their accounts. Empty: all events. */
  integrationDefinitionIds?: string[] | null | undefined
  /** full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`. */
  payload?: 'full' | 'thin' | null | undefined
  /** The version of the events that the endpoint receives. */
  version?: number | null | undefined
  /** account: the events of one resource one after the other. none: as soon as possible. */
  ordering?: 'account' | 'none' | null | undefined
  /** The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both. */
  signature?: 'v1' | 'v1a' | 'both' | null | undefined
  /** Maximum number of concurrent requests. */
  maxInFlight?: number | null | undefined
  /** Headers of each request, such as Authorization. Stored encrypted and never returned. */
  headers?: Record<string, string> | null | undefined
  /** true: events are stored for the endpoint and not sent. */
  paused?: boolean | null | undefined
  /** Workspace identifier. */
  workspaceId?: string | null | undefined
}

/** A webhook endpoint with its new secret. */
export interface NewWebhookEndpoint {
  /** Identifier of the endpoint. */
  webhookEndpointId: string
  /** Its workspace. */
  workspaceId: string
  /** Where events are posted: https, without user name, password and fragment. */
  url: string
  /** What the endpoint is for. */
  description: string
  /** Types such as account.created and prefixes such as account.*. Empty: all. */
  types: string[]
  /** Only events of these definitions and of their accounts. Empty: all events. */
  integrationDefinitionIds: string[]
  /** full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`. */
  payload: 'full' | 'thin' | (string & {})
  /** The version of the events that the endpoint receives. */
  version: number
  /** account: the events of one resource one after the other. none: as soon as possible. */
  ordering: 'account' | 'none' | (string & {})
  /** The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both. */
  signature: 'v1' | 'v1a' | 'both' | (string & {})
  /** Maximum number of concurrent requests. */
  maxInFlight: number
  /** The names of the headers that were set. Their values are never returned. */
  headerNames: string[]
  /** active; failing: nothing is sent but probes; paused: by you; disabled: after days of failures. */
  state: 'active' | 'failing' | 'paused' | 'disabled' | (string & {})
  /** Why it is failing or disabled. */
  stateReason: string | null
  /** When its failures began; null after a success. */
  failingSince: string | null
  /** When it last accepted an event. */
  lastSuccessAt: string | null
  /** Number of events on their way to it. */
  pending: number
  /** The keys that verify v1a signatures (`whpk_…`), the newest first. */
  publicKeys: string[]
  /** When it was created. */
  createdAt: string
  /** When its settings last changed. */
  updatedAt: string
  /** The key of v1 signatures (`whsec_…`). Returned only once. */
  secret: string
}

/** A URL that receives the events of a workspace. */
export interface WebhookEndpoint {
  /** Identifier of the endpoint. */
  webhookEndpointId: string
  /** Its workspace. */
  workspaceId: string
  /** Where events are posted: https, without user name, password and fragment. */
  url: string
  /** What the endpoint is for. */
  description: string
  /** Types such as account.created and prefixes such as account.*. Empty: all. */
  types: string[]
  /** Only events of these definitions and of their accounts. Empty: all events. */
  integrationDefinitionIds: string[]
  /** full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`. */
  payload: 'full' | 'thin' | (string & {})
  /** The version of the events that the endpoint receives. */
  version: number
  /** account: the events of one resource one after the other. none: as soon as possible. */
  ordering: 'account' | 'none' | (string & {})
  /** The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both. */
  signature: 'v1' | 'v1a' | 'both' | (string & {})
  /** Maximum number of concurrent requests. */
  maxInFlight: number
  /** The names of the headers that were set. Their values are never returned. */
  headerNames: string[]
  /** active; failing: nothing is sent but probes; paused: by you; disabled: after days of failures. */
  state: 'active' | 'failing' | 'paused' | 'disabled' | (string & {})
  /** Why it is failing or disabled. */
  stateReason: string | null
  /** When its failures began; null after a success. */
  failingSince: string | null
  /** When it last accepted an event. */
  lastSuccessAt: string | null
  /** Number of events on their way to it. */
  pending: number
  /** The keys that verify v1a signatures (`whpk_…`), the newest first. */
  publicKeys: string[]
  /** When it was created. */
  createdAt: string
  /** When its settings last changed. */
  updatedAt: string
}

export interface UpdateWebhookEndpoint {
  /** Where events are posted: https, without user name, password and fragment. */
  url?: string | null | undefined
  /** What the endpoint is for. */
  description?: string | null | undefined
  /** Types such as account.created and prefixes such as account.*. Empty: all. */
  types?: string[] | null | undefined
  /** Only events of these definitions and of their accounts. Empty: all events. */
  integrationDefinitionIds?: string[] | null | undefined
  /** full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`. */
  payload?: 'full' | 'thin' | null | undefined
  /** The version of the events that the endpoint receives. */
  version?: number | null | undefined
  /** account: the events of one resource one after the other. none: as soon as possible. */
  ordering?: 'account' | 'none' | null | undefined
  /** The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both. */
  signature?: 'v1' | 'v1a' | 'both' | null | undefined
  /** Maximum number of concurrent requests. */
  maxInFlight?: number | null | undefined
  /** Headers of each request, such as Authorization. Stored encrypted and never returned. */
  headers?: Record<string, string> | null | undefined
  /** true: events are stored for the endpoint and not sent. */
  paused?: boolean | null | undefined
  /** With `"paused": false`: which events to send again. missed: all since the last success, the default for a disabled endpoint; none; or { "since": time }. */
  replay?:
    | 'missed'
    | 'none'
    | {
        since: string
      }
    | null
    | undefined
}

export interface RotateWebhookSecret {
  /** How long the former secret signs too. Default: one day. */
  overlapSeconds?: number | null | undefined
}

export interface TestWebhookEndpoint {
  /** The type of the example event. Default: webhook.test. */
  type?:
    | 'account.created'
    | 'account.updated'
    | 'account.reconnected'
    | 'account.facts_changed'
    | 'account.permissions_changed'
    | 'account.permission_needed'
    | 'account.agent_access_changed'
    | 'account.tool_changed'
    | 'account.needs_reauth'
    | 'account.error'
    | 'account.recovered'
    | 'account.deleted'
    | 'connect.failed'
    | 'connect_session.created'
    | 'connect_session.opened'
    | 'connect_session.completed'
    | 'connect_session.expired'
    | 'connect_session.revoked'
    | 'agent_session.created'
    | 'agent_session.revoked'
    | 'agent.approval_requested'
    | 'agent.approval_decided'
    | 'link.created'
    | 'link.updated'
    | 'link.revoked'
    | 'link.expired'
    | 'link.full'
    | 'definition.created'
    | 'definition.upgraded'
    | 'definition.rolled_back'
    | 'definition.overridden'
    | 'definition.deleted'
    | 'definition.update_available'
    | 'definition.suspect'
    | 'definition.trusted'
    | 'oauth_app.failing'
    | 'oauth_app.recovered'
    | 'token.expiring'
    | 'audit.checkpoint'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook.test'
    | null
    | undefined
}

export interface WebhookTestResult {
  /** Whether the endpoint answered with a 2xx status. */
  delivered: boolean
  /** The id of the example event, which is not stored. */
  eventId: string
  /** HTTP status; null without a response. */
  status: number | null
  /** Why it failed, such as status_503, timeout, address_forbidden. */
  code: string | null
  /** Duration in milliseconds. */
  ms: number
  /** The first 1,000 characters of the response. */
  response: string
}

export interface WebhookDelivery {
  /** The event. */
  eventId: string
  /** Its type. */
  type:
    | 'account.created'
    | 'account.updated'
    | 'account.reconnected'
    | 'account.facts_changed'
    | 'account.permissions_changed'
    | 'account.permission_needed'
    | 'account.agent_access_changed'
    | 'account.tool_changed'
    | 'account.needs_reauth'
    | 'account.error'
    | 'account.recovered'
    | 'account.deleted'
    | 'connect.failed'
    | 'connect_session.created'
    | 'connect_session.opened'
    | 'connect_session.completed'
    | 'connect_session.expired'
    | 'connect_session.revoked'
    | 'agent_session.created'
    | 'agent_session.revoked'
    | 'agent.approval_requested'
    | 'agent.approval_decided'
    | 'link.created'
    | 'link.updated'
    | 'link.revoked'
    | 'link.expired'
    | 'link.full'
    | 'definition.created'
    | 'definition.upgraded'
    | 'definition.rolled_back'
    | 'definition.overridden'
    | 'definition.deleted'
    | 'definition.update_available'
    | 'definition.suspect'
    | 'definition.trusted'
    | 'oauth_app.failing'
    | 'oauth_app.recovered'
    | 'token.expiring'
    | 'audit.checkpoint'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook.test'
    | (string & {})
  /** The id of the resource that changed. */
  subject: string
  /** Its sequence number. */
  sequence: number
  /** 0, and one more for each replay of the event. */
  round: number
  /** queued by a replay; pending; held behind an earlier event of the same resource; delivered; failed: given up. */
  state: 'queued' | 'pending' | 'held' | 'delivered' | 'failed' | (string & {})
  /** Number of requests so far. */
  attempts: number
  /** When the delivery was created. */
  createdAt: string
  /** When it is sent next; null if it is not pending. */
  nextAttemptAt: string | null
  /** HTTP status of the last response. */
  lastStatus: number | null
  /** Duration of the last attempt in milliseconds. */
  lastMs: number | null
  /** When the last attempt began. */
  lastAt: string | null
}

export interface WebhookDeliveryDetails {
  /** The event. */
  eventId: string
  /** Its type. */
  type:
    | 'account.created'
    | 'account.updated'
    | 'account.reconnected'
    | 'account.facts_changed'
    | 'account.permissions_changed'
    | 'account.permission_needed'
    | 'account.agent_access_changed'
    | 'account.tool_changed'
    | 'account.needs_reauth'
    | 'account.error'
    | 'account.recovered'
    | 'account.deleted'
    | 'connect.failed'
    | 'connect_session.created'
    | 'connect_session.opened'
    | 'connect_session.completed'
    | 'connect_session.expired'
    | 'connect_session.revoked'
    | 'agent_session.created'
    | 'agent_session.revoked'
    | 'agent.approval_requested'
    | 'agent.approval_decided'
    | 'link.created'
    | 'link.updated'
    | 'link.revoked'
    | 'link.expired'
    | 'link.full'
    | 'definition.created'
    | 'definition.upgraded'
    | 'definition.rolled_back'
    | 'definition.overridden'
    | 'definition.deleted'
    | 'definition.update_available'
    | 'definition.suspect'
    | 'definition.trusted'
    | 'oauth_app.failing'
    | 'oauth_app.recovered'
    | 'token.expiring'
    | 'audit.checkpoint'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook.test'
    | (string & {})
  /** The id of the resource that changed. */
  subject: string
  /** Its sequence number. */
  sequence: number
  /** 0, and one more for each replay of the event. */
  round: number
  /** queued by a replay; pending; held behind an earlier event of the same resource; delivered; failed: given up. */
  state: 'queued' | 'pending' | 'held' | 'delivered' | 'failed' | (string & {})
  /** Number of requests so far. */
  attempts: number
  /** When the delivery was created. */
  createdAt: string
  /** When it is sent next; null if it is not pending. */
  nextAttemptAt: string | null
  /** HTTP status of the last response. */
  lastStatus: number | null
  /** Duration of the last attempt in milliseconds. */
  lastMs: number | null
  /** When the last attempt began. */
  lastAt: string | null
  /** The last 100 attempts that failed, in all rounds, the newest first. */
  failures: {
    /** The replay that the attempt belongs to. */
    round: number
    /** Counts the attempts of a round from 1. */
    attempt: number
    /** When it began. */
    at: string
    /** Its duration in milliseconds. */
    ms: number
    /** HTTP status; null if there was no response. */
    status: number | null
    /** Why it failed, such as status_503, timeout or refused. */
    code: string
    /** The first 1,000 characters of the response. */
    response: string
  }[]
}

export interface ReplayWebhookEvents {
  /** These events, whether the endpoint subscribes to their types or not. */
  eventIds?: string[] | null | undefined
  /** The events from this time on. Requires `until`. */
  since?: string | null | undefined
  /** The events before this time. Requires `since`. */
  until?: string | null | undefined
  /** true: the events that the endpoint never accepted. */
  failed?: boolean | null | undefined
}

export interface QueuedReplay {
  /** Number of events that are sent again. */
  queued: number
}

export interface AuditEvent {
  /** Identifies the entry. */
  auditId: string
  /** When it happened. */
  timestamp: string
  /** Its workspace; null if it belongs to none. */
  workspaceId: string | null
  /** Counts the entries of the workspace without gaps, in the order of the chain. */
  sequence: number
  /** Who did it, and from where. */
  actor: {
    /** Who: unknown for refused requests without a valid token. */
    kind: 'token' | 'person' | 'agent' | 'system' | 'unknown' | (string & {})
    /** How. */
    via: 'api' | 'mcp' | 'console' | 'page' | 'background' | 'cli' | (string & {})
    /** The user; for a person on a page, the owner of the workspace. */
    userId: string | null
    /** The access token. */
    tokenId: string | null
    /** The address of the client; null: not recorded, or erased. */
    ip: string | null
  }
  /** What happened, such as `account.created`. */
  action: string
  /** How it ended. */
  outcome: 'done' | 'refused' | (string & {})
  /** The id of the resource. */
  subject: string | null
  /** The kind of resource. */
  subjectType: string | null
  /** More about it; null: erased. Contains no secrets. */
  detail: Record<string, unknown> | null
  /** The `x-request-id` of the request. */
  requestId: string | null
}

/** A request, without its query, headers and body. */
export interface LoggedRequest {
  /** Identifier of the entry. */
  requestLogId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** When the request ended; of a streamed response, when its head arrived. */
  at: string
  /** api: a request to this API; provider: one that Linchpin has sent to a provider. */
  kind: 'api' | 'provider' | (string & {})
  /** The `operationId`; null for an unknown path. Of a provider's: proxy, integration, oauth (the code of an integration, such as a check, or a token request). */
  operation: string | null
  /** The HTTP method. */
  method: string
  /** The provider's host; null for this API, and if the account was deleted meanwhile. */
  host: string | null
  /** The route, or the provider's path, in which `•` stands for segments that may be secret or personal. Never a query. Null if the account was deleted meanwhile. */
  path: string | null
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** The error code, or why there was no response; null otherwise. */
  code: string | null
  /** How long it took, in milliseconds. */
  durationMs: number
  /** The request to this API that it is, or that caused it, as in the log. */
  requestId: string | null
  /** The account. */
  integrationAccountId: string | null
  /** The tool. */
  integrationDefinitionId: string | null
  /** The access token. */
  tokenId: string | null
  /** The user of the access token. */
  userId: string | null
  /** console: a person changed something there. */
  via: 'console' | (string & {}) | null
  /** How many requests the entry stands for. More than 1: there were too many within a second for an entry each. */
  represents: number
  /** Whether a debug window has recorded its headers and bodies: see Get a request. */
  hasExchange: boolean
}

/** A request, and what a debug window has recorded of it: null if none has, and without the scope `credentials:read`. */
export interface RequestDetails {
  /** Identifier of the entry. */
  requestLogId: string
  /** Identifier of the workspace. */
  workspaceId: string
  /** When the request ended; of a streamed response, when its head arrived. */
  at: string
  /** api: a request to this API; provider: one that Linchpin has sent to a provider. */
  kind: 'api' | 'provider' | (string & {})
  /** The `operationId`; null for an unknown path. Of a provider's: proxy, integration, oauth (the code of an integration, such as a check, or a token request). */
  operation: string | null
  /** The HTTP method. */
  method: string
  /** The provider's host; null for this API, and if the account was deleted meanwhile. */
  host: string | null
  /** The route, or the provider's path, in which `•` stands for segments that may be secret or personal. Never a query. Null if the account was deleted meanwhile. */
  path: string | null
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** The error code, or why there was no response; null otherwise. */
  code: string | null
  /** How long it took, in milliseconds. */
  durationMs: number
  /** The request to this API that it is, or that caused it, as in the log. */
  requestId: string | null
  /** The account. */
  integrationAccountId: string | null
  /** The tool. */
  integrationDefinitionId: string | null
  /** The access token. */
  tokenId: string | null
  /** The user of the access token. */
  userId: string | null
  /** console: a person changed something there. */
  via: 'console' | (string & {}) | null
  /** How many requests the entry stands for. More than 1: there were too many within a second for an entry each. */
  represents: number
  /** Whether a debug window has recorded its headers and bodies: see Get a request. */
  hasExchange: boolean
  /** Headers and bodies, recorded in a debug window, without credentials. */
  exchange: {
    /** The URL with its query, without credentials. */
    url: string
    /** What Linchpin has sent. */
    request: {
      /** The headers, in their order. */
      headers: {
        /** Its name, as sent. */
        name: string
        /** Its value; `[removed]` for credentials. */
        value: string
      }[]
      /** A body. Its credentials are replaced by `[removed]`. */
      body: {
        /** Its first 32 kB, decoded; null if omitted. */
        text: string | null
        /** Its length as it was sent; null if that is not known. */
        bytes: number | null
        /** Whether it was longer than what is stored. */
        isCut: boolean
        /** Why it is not stored: binary, no text; encoding, it could not be decompressed; secrets, it could not be searched for credentials. */
        omitted: 'binary' | 'encoding' | 'secrets' | (string & {}) | null
      }
    }
    /** What the provider has responded; null if it has not. */
    response: {
      /** The headers, in their order. */
      headers: {
        /** Its name, as sent. */
        name: string
        /** Its value; `[removed]` for credentials. */
        value: string
      }[]
      /** A body. Its credentials are replaced by `[removed]`. */
      body: {
        /** Its first 32 kB, decoded; null if omitted. */
        text: string | null
        /** Its length as it was sent; null if that is not known. */
        bytes: number | null
        /** Whether it was longer than what is stored. */
        isCut: boolean
        /** Why it is not stored: binary, no text; encoding, it could not be decompressed; secrets, it could not be searched for credentials. */
        omitted: 'binary' | 'encoding' | 'secrets' | (string & {}) | null
      }
    } | null
    /** When it is deleted. */
    expiresAt: string
  } | null
}

/** How often something happened, by hour or day. */
export interface WorkspaceStatistics {
  /** The time that a point stands for. */
  step: 'hour' | 'day' | (string & {})
  /** Without `by`: one of each metric, in the order of the request. With `by`: those that have points; of each metric, those with most events come first. Events without a code, or without a tool, are in none of these. */
  series: {
    /** What was counted. */
    metric:
      | 'opens'
      | 'attempts'
      | 'connects'
      | 'connect_failures'
      | 'refreshes'
      | 'refresh_failures'
      | 'checks'
      | 'check_failures'
      | 'proxy_calls'
      | 'proxy_ms'
      | 'missing_scopes'
      | 'needs_reauth'
      | 'deliveries'
      | 'delivery_failures'
      | 'agent_calls'
      | (string & {})
    /** With `by`: the code, or the `integrationDefinitionId`. Null: of the whole metric. */
    key: string | null
    /** The points, in the order of their times. Steps without events have none. */
    points: [string, number, number][]
  }[]
}

export interface EraseCustomer {
  /** The accountIdentifier of the customer. */
  accountIdentifier: string
  /** Workspace of the customer. */
  workspaceId?: string | null | undefined
}

/** What was erased. Contains no personal data. */
export interface ErasureReceipt {
  /** Identifier of the erasure, the same each time for one customer. */
  erasureId: string
  /** Workspace of the customer. */
  workspaceId: string
  /** `running`: it continues in the background. */
  status: 'finished' | 'running' | (string & {})
  /** Time of the first request. */
  createdAt: string
  /** When something was last erased; null while it runs. */
  finishedAt: string | null
  /** How much was erased, by kind. */
  erased: {
    /** Accounts that were connected. */
    accounts: number
    /** Accounts that had been deleted before. */
    tombstones: number
    /** Entries of the history of accounts. */
    accountChanges: number
    /** Events whose data was scrubbed. */
    events: number
    /** Entries of the audit trail that were scrubbed. */
    auditEvents: number
    /** Logged responses of webhook receivers. */
    deliveryFailures: number
    /** OAuth sessions. */
    oauthSessions: number
    /** Submissions of the connect page. */
    submissions: number
    /** Connect sessions. */
    connectSessions: number
    /** Agent sessions. */
    agentSessions: number
    /** OAuth apps of the customer. */
    oauthApps: number
    /** Attempts to connect an account. */
    attempts: number
    /** Requests in the log. */
    requests: number
    /** Results in bulk jobs. */
    bulkJobResults: number
    /** Previews of upgrades that had a result of one of the accounts. */
    previews: number
  }
  /** What became of the tokens at their providers. */
  revocations: {
    /** Accounts whose tokens the provider revoked. */
    revoked: number
    /** Accounts whose grant a live account may share: nothing was sent. */
    shared: number
    /** Accounts whose provider cannot revoke their tokens. */
    unsupported: number
    /** Accounts whose tokens may still be valid at the provider. */
    failed: number
  }
}

/** A deleted workspace. */
export interface DeletedWorkspace {
  /** Identifier of the workspace. */
  workspaceId: string
  /** Time of deletion. */
  deleted: string
  /** `running`: its data is erased in the background. */
  status: 'finished' | 'running' | (string & {})
}

/** The service itself, as the node that responds sees it. */
export interface InstanceInfo {
  /** The version that runs. */
  version: string
  /** Its commit; `unknown` outside of releases and clones. */
  commit: string
  /** When the node that responds was started. */
  startedAt: string
  /** The database. */
  database: {
    /** Which one. */
    kind: 'sqlite' | 'postgresql' | (string & {})
    /** Its size, at most a minute old. */
    bytes: number
  }
  /** The migrations that the database has, oldest first. */
  migrations: {
    /** Its name. */
    name: string
    /** When it ran. */
    appliedAt: string
  }[]
  /** The keys in use. Never a value. */
  keys: {
    /** Identifier of a key of the key ring. */
    keyId: string
    /** Whether it wraps what is sealed from now on. */
    isFirst: boolean
    /** How many workspaces have a data key that it wraps. */
    workspaces: number
  }[]
  /** What an administrator has to change. */
  warnings: {
    /** What is wrong. */
    code: 'public_url_local' | 'storage_full' | 'keys_outdated' | (string & {})
    /** What it means, and what to do. */
    message: string
  }[]
  /** The settings, without values. */
  settings: {
    /** The variable. */
    name: string
    /** Whether it has a value, or a file with one. */
    isSet: boolean
  }[]
}

export interface SendProxyRequest {
  /** Method of the request to the provider. Default: `GET`. */
  method?:
    | 'GET'
    | 'POST'
    | 'PUT'
    | 'PATCH'
    | 'DELETE'
    | 'HEAD'
    | 'OPTIONS'
    | 'PROPFIND'
    | 'PROPPATCH'
    | 'REPORT'
    | 'MKCOL'
    | 'MKCALENDAR'
    | 'COPY'
    | 'MOVE'
    | 'LOCK'
    | 'UNLOCK'
    | 'SEARCH'
    | null
    | undefined
  /** Path below the spec's `api_base_url`, with or without a leading slash, or a URL of an allowed host. It is sent unchanged: encode what must be encoded. */
  path: string
  /** Query parameters. They are encoded and follow those of `path`. */
  query?:
    | Record<string, string | number | boolean | (string | number | boolean)[]>
    | null
    | undefined
  /** Header fields. Connection headers, `Host`, `Authorization` and `Cookie` are not sent; those of the account override the others. */
  headers?: Record<string, string | string[]> | null | undefined
  /** Body of the request: a string is sent unchanged, any other value as the JSON that was written, with `Content-Type: application/json` unless `headers` has another one. */
  body?: unknown | undefined
  /** Body of the request as base64 (RFC 4648, section 4), instead of `body`: at most 25 MB of bytes of any content type. */
  bodyBase64?: string | null | undefined
}

/** Query parameters: list the members of a workspace. */
export interface ListMembersQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
}

/** Query parameters: list the integration definitions of a workspace. */
export interface ListDefinitionsQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** Category keys, comma-separated or repeated. */
  category?: string[] | undefined
  /** Only the definition with this key; the workspace's own wins over the catalogue's. */
  key?: string | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: get an integration definition. */
export interface GetDefinitionQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** Category keys, comma-separated or repeated. */
  category?: string[] | undefined
}

/** Query parameters: get the spec of an integration definition. */
export interface GetDefinitionSpecQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** Category keys, comma-separated or repeated. */
  category?: string[] | undefined
}

/** Query parameters: get the entry of an integration definition. */
export interface GetDefinitionEntryQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** Category keys, comma-separated or repeated. */
  category?: string[] | undefined
}

/** Query parameters: get a preview of an upgrade. */
export interface GetDefinitionPreviewQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
}

/** Query parameters: list the OAuth apps of a workspace. */
export interface ListOAuthAppsQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** Only apps for this definition, by its ID or key. */
  integrationDefinitionId?: string | undefined
  /** Only the own apps of this customer. */
  accountIdentifier?: string | undefined
  /** True: only default apps; false: only others. */
  isDefault?: boolean | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: list the OAuth apps of a workspace with IDs and names only. */
export interface ListOAuthAppIdsQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
}

/** Query parameters: list the integration accounts of a workspace. */
export interface ListAccountsQuery {
  /** Workspace of the accounts. */
  workspaceId?: string | undefined
  /** Only accounts of this definition, by its ID or key. */
  integrationDefinitionId?: string | undefined
  /** Only accounts with this accountIdentifier. */
  accountIdentifier?: string | undefined
  /** Only accounts created through this link. */
  linkId?: string | undefined
  /** Only live accounts whose tokens this OAuth app refreshes. */
  integrationOAuthAppId?: string | undefined
  /** Only live accounts of this user of the provider: `identity.id`. */
  identityId?: string | undefined
  /** Only live accounts whose credentials the provider has not accepted since this time, or never. Uses have a resolution of 15 minutes. */
  lastOkBefore?: string | undefined
  /** Only live accounts whose `integrationAccountName`, `accountIdentifier` or `identity.label` contains this text, in any case, newest first. A page searches at most 50,000 accounts, so it may be short, or empty, and have a next one. */
  q?: string | undefined
  /** Only accounts with this status; `deleted` lists the tombstones. Repeat the parameter for accounts with any of several. */
  status?:
    | 'active'
    | 'pending'
    | 'needs_reauth'
    | 'error'
    | 'deleted'
    | ('active' | 'pending' | 'needs_reauth' | 'error' | 'deleted')[]
    | undefined
  /** Only live accounts with this tag, such as `plan:pro`. Repeat the parameter for accounts that have all of several tags, at most 5. */
  tag?: string[] | undefined
  /** Only live accounts that lack this scope: it was requested and not granted, or the provider refused a request without it. */
  missingScope?: string | undefined
  /** Include deleted accounts (tombstones). */
  includeDeleted?: boolean | undefined
  /** Only accounts created after this time. */
  createdAfter?: string | undefined
  /** Only accounts updated after this time, in the order of their updates. */
  updatedAfter?: string | undefined
  /** Oldest first, or with `-` newest first. Default: `-createdAt` with `q`, `updatedAt` with `updatedAfter`, otherwise `createdAt`. */
  order?: 'createdAt' | '-createdAt' | 'updatedAt' | '-updatedAt' | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: count the integration accounts of a workspace. */
export interface CountAccountsQuery {
  /** Workspace of the accounts. */
  workspaceId?: string | undefined
  /** Only accounts of this definition, by its ID or key. */
  integrationDefinitionId?: string | undefined
  /** Only accounts created through this link. */
  linkId?: string | undefined
  /** Only accounts with this tag, such as `plan:pro`. Repeat the parameter for accounts that have all of several tags, at most 5. */
  tag?: string[] | undefined
}

/** Query parameters: list the customers of a workspace. */
export interface ListCustomersQuery {
  /** Workspace of the customers. */
  workspaceId?: string | undefined
  /** Only customers whose accountIdentifier begins with this text, in the same case. */
  q?: string | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: delete an integration account and erase its configuration. */
export interface DeleteAccountQuery {
  /** Revoke the tokens even if other live accounts may share the grant. A provider that revokes whole grants then disconnects those accounts too. */
  revoke?: 'always' | undefined
}

/** Query parameters: get the health of an integration definition. */
export interface GetDefinitionHealthQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
}

/** Query parameters: list the agent sessions of a workspace. */
export interface ListAgentSessionsQuery {
  /** Workspace of the sessions. */
  workspaceId?: string | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: list what agents ask people for. */
export interface ListAgentApprovalsQuery {
  /** Workspace of the approvals. */
  workspaceId?: string | undefined
  /** Only approvals with this status. */
  status?: 'pending' | 'approved' | 'denied' | 'used' | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: list the links of a workspace. */
export interface ListLinksQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** False omits `IntegrationAccount` and `integrationAccounts`. Default: true. */
  accounts?: boolean | undefined
  /** True adds `counters` to each link. Default: false. */
  counters?: boolean | undefined
  /** Only links in this state. Default: open and expired ones. */
  state?: 'open' | 'expired' | 'revoked' | undefined
  /** Oldest first (default), or with `-` newest first. */
  order?: 'createdAt' | '-createdAt' | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: get a link with its accounts and definitions. */
export interface GetLinkQuery {
  /** Only accounts with this accountIdentifier. */
  accountIdentifier?: string | undefined
  /** False omits `IntegrationAccount` and `integrationAccounts`. Default: true. */
  accounts?: boolean | undefined
}

/** Query parameters: list the connect sessions of a workspace. */
export interface ListConnectSessionsQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** Only sessions with this accountIdentifier. */
  accountIdentifier?: string | undefined
  /** Only sessions of this link. */
  linkId?: string | undefined
  /** Only sessions with this status. */
  status?: 'created' | 'opened' | 'completed' | 'expired' | 'revoked' | undefined
  /** Oldest first (default), or with `-` newest first. */
  order?: 'createdAt' | '-createdAt' | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: list the attempts to connect accounts. */
export interface ListAttemptsQuery {
  /** Workspace of the attempts. */
  workspaceId?: string | undefined
  /** Only attempts through this link. */
  linkId?: string | undefined
  /** Only attempts in this connect session. */
  connectSessionId?: string | undefined
  /** Only attempts with this accountIdentifier. */
  accountIdentifier?: string | undefined
  /** Only attempts to connect this tool: its id or key. */
  integrationDefinitionId?: string | undefined
  /** Only attempts that failed with this code. */
  code?: string | undefined
  /** Only attempts that connected or reconnected this account. */
  integrationAccountId?: string | undefined
  /** Only attempts that ended like this. */
  outcome?: 'connected' | 'accepted' | 'failed' | 'cancelled' | 'abandoned' | undefined
  /** Only the attempts that this request ended. */
  requestId?: string | undefined
  /** Only attempts from this time on. */
  from?: string | undefined
  /** Only attempts before this time. */
  to?: string | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: count the attempts to connect accounts. */
export interface CountAttemptsQuery {
  /** Workspace of the attempts. */
  workspaceId?: string | undefined
  /** Only attempts through this link. */
  linkId?: string | undefined
  /** Only attempts in this connect session. */
  connectSessionId?: string | undefined
  /** Only attempts with this accountIdentifier. */
  accountIdentifier?: string | undefined
  /** Only attempts to connect this tool: its id or key. */
  integrationDefinitionId?: string | undefined
  /** Only attempts that failed with this code. */
  code?: string | undefined
  /** Only attempts that connected or reconnected this account. */
  integrationAccountId?: string | undefined
  /** Only attempts that ended like this. */
  outcome?: 'connected' | 'accepted' | 'failed' | 'cancelled' | 'abandoned' | undefined
  /** Only the attempts that this request ended. */
  requestId?: string | undefined
  /** Only attempts from this time on. */
  from?: string | undefined
  /** Only attempts before this time. */
  to?: string | undefined
  /** Only so many of these attempts, the newest. Default: 1,000. */
  last?: number | undefined
}

/** Query parameters: list the events of a workspace. */
export interface ListEventsQuery {
  /** Workspace of the events. */
  workspaceId?: string | undefined
  /** Only events with a higher `sequence`. Default: from the oldest event that is retained. */
  after?: number | undefined
  /** Only events with a lower `sequence`. Requires `order`. */
  before?: number | undefined
  /** The newest first, without `wait`. Default: the oldest first. */
  order?: '-sequence' | undefined
  /** Only these types, separated by commas. `account.*` stands for all types of accounts. */
  types?: string | undefined
  /** Only events of the resource with this id. */
  subject?: string | undefined
  /** Only events of accounts with this accountIdentifier. */
  accountIdentifier?: string | undefined
  /** Maximum number of events. Default: 100. */
  limit?: number | undefined
  /** Seconds to wait for the next event if there is none. Default: 0. */
  wait?: number | undefined
}

/** Query parameters: list the webhook endpoints of a workspace. */
export interface ListWebhookEndpointsQuery {
  /** Workspace identifier. */
  workspaceId?: string | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: list the deliveries to a webhook endpoint. */
export interface ListWebhookDeliveriesQuery {
  /** Only deliveries in this state. */
  state?: 'queued' | 'pending' | 'held' | 'delivered' | 'failed' | undefined
  /** Only deliveries of this type of event. */
  type?: string | undefined
  /** Only deliveries that were created at this time or later. */
  since?: string | undefined
  /** Maximum number of deliveries. Default: 100. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: list the audit trail of a workspace. */
export interface ListAuditEventsQuery {
  /** Workspace of the entries. */
  workspaceId?: string | undefined
  /** Entries that belong to no workspace, instead. Requires the scope admin of a token that is bound to no workspace. */
  instance?: boolean | undefined
  /** Only entries from this time on. */
  from?: string | undefined
  /** Only entries before this time. */
  to?: string | undefined
  /** Only this action, such as `account.credentials_read`. */
  action?: string | undefined
  /** Only entries of this user. */
  actor?: string | undefined
  /** Only entries of this access token. */
  tokenId?: string | undefined
  /** Only entries about the resource with this id. */
  subject?: string | undefined
  /** Only entries from this address, as it was recorded. */
  ip?: string | undefined
  /** Only entries that this request has caused. */
  requestId?: string | undefined
  /** Only entries with this outcome. */
  outcome?: 'done' | 'refused' | undefined
  /** Maximum number of entries per page. Default: 100. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: export the audit trail of a workspace. */
export interface ExportAuditEventsQuery {
  /** Workspace of the entries. */
  workspaceId?: string | undefined
  /** Entries that belong to no workspace, instead. Requires the scope admin of a token that is bound to no workspace. */
  instance?: boolean | undefined
  /** Only entries from this time on. */
  from?: string | undefined
  /** Only entries before this time. */
  to?: string | undefined
}

/** Query parameters: list requests. */
export interface ListRequestsQuery {
  /** Workspace of the requests. */
  workspaceId?: string | undefined
  /** Only requests to this API, or only to providers. */
  kind?: 'api' | 'provider' | undefined
  /** Only requests for this account. */
  integrationAccountId?: string | undefined
  /** Only requests for this tool: its id or key. */
  integrationDefinitionId?: string | undefined
  /** Only this request, and those it caused. */
  requestId?: string | undefined
  /** failed: a status of 400 or more, or no response. */
  outcome?: 'succeeded' | 'failed' | undefined
  /** Only requests with an HTTP status of this class. */
  status?: '2xx' | '3xx' | '4xx' | '5xx' | undefined
  /** Only requests from this time on. */
  from?: string | undefined
  /** Only requests before this time. */
  to?: string | undefined
  /** Maximum number of items per page. Default: all items. */
  limit?: number | undefined
  /** The cursor of the page, from the `Link` header of the previous one. */
  cursor?: string | undefined
}

/** Query parameters: get statistics. */
export interface GetStatisticsQuery {
  /** Workspace of the statistics. */
  workspaceId?: string | undefined
  /** What to count, separated by commas or by repeating the parameter, at most 20: opens, attempts, connects, connect_failures, refreshes, refresh_failures, checks, check_failures, proxy_calls, proxy_ms, missing_scopes, needs_reauth, deliveries, delivery_failures, agent_calls. */
  metrics: string[]
  /** Only events of this tool: its id or key. */
  integrationDefinitionId?: string | undefined
  /** The time that a point stands for, in UTC. Hours are retained 35 days, days 400. Default: day. */
  step?: 'hour' | 'day' | undefined
  /** Only steps from this time on; the one in which it is counts as a whole. Default: 24 hours or 30 days before `to`. */
  from?: string | undefined
  /** Only steps that began before this time. Default: now. */
  to?: string | undefined
  /** A series for each code, or for each tool, instead of one for each metric. */
  by?: 'code' | 'definition' | undefined
}

/** Query parameters: export what is stored about a customer. */
export interface ExportCustomerQuery {
  /** The accountIdentifier of the customer. */
  accountIdentifier: string
  /** Workspace of the customer. */
  workspaceId?: string | undefined
}

/** An account is active for the first time, after its confirmation if it needs one. */
export interface AccountCreatedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.created'
  data: {
    account: IntegrationAccount
    /** The connect session in which it was connected; null without one. */
    connectSessionId: string | null
    /** True if it was imported from another system; else absent. */
    imported?: boolean | undefined
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The name or the configuration of an account was changed, or the provider names another user than before. */
export interface AccountUpdatedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.updated'
  data: {
    account: IntegrationAccount
    /** The fields of the request, or `identity`. */
    changed: string[]
    /** What it was before; only with `identity`. */
    previous?:
      | {
          /** The user until now; null if unknown. */
          identity: {
            /** The provider's id of the user. */
            id: string | null
            /** The provider's name of the user. */
            label: string | null
          } | null
        }
      | undefined
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** New credentials of an account were verified. */
export interface AccountReconnectedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.reconnected'
  data: {
    account: IntegrationAccount
    /** Whether another user of the provider signed in than before. Null if one of the two is unknown. */
    identityChanged: boolean | null
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The provider reported other facts of a connection than before, or another of its sites, tenants or companies was chosen. */
export interface AccountFactsChangedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.facts_changed'
  data: {
    account: IntegrationAccount
    /** The names of the facts. */
    changed: string[]
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** Other permissions of an account are granted or missing than before: its customer has signed in, or the provider has reported others with a refresh. Of a new account, only if any are missing. */
export interface AccountPermissionsChangedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.permissions_changed'
  data: {
    account: IntegrationAccount
    /** The granted scopes, in alphabetical order. */
    granted: string[]
    /** Requested scopes that were not granted. */
    missing: string[]
    /** What it was before; null for a new account, or if it was unknown. */
    previous: {
      /** The granted scopes, in alphabetical order. */
      granted: string[]
      /** Requested scopes that were not granted. */
      missing: string[]
    } | null
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The provider has refused a request of an account because the account lacks a permission. At most once in 7 days for each account and permission. */
export interface AccountPermissionNeededEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.permission_needed'
  data: {
    account: IntegrationAccount
    /** The scope. */
    scope: string
    /** The request: its method, and its path with `•` for what may be an id. */
    operation: string | null
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A customer has said in the portal, or your product for them, what agents may do with an account. */
export interface AccountAgentAccessChangedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.agent_access_changed'
  data: {
    account: IntegrationAccount
    /** `full`, `read_only` or `paused`. */
    access: string
    /** `customer` or `product`. */
    by: string
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The MCP server of an account describes tools differently than they were accepted. They are suspended until they are accepted. At most once in an hour for each tool. */
export interface AccountToolChangedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.tool_changed'
  data: {
    account: IntegrationAccount
    /** The names of the tools, at most 100. */
    tools: string[]
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The provider no longer accepts the tokens of an account; only the customer can reconnect it. */
export interface AccountNeedsReauthEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.needs_reauth'
  data: {
    account: IntegrationAccount
    /** What changed. */
    previous: {
      /** Its status before. */
      status: 'active' | 'pending' | 'needs_reauth' | 'error' | 'deleted' | (string & {})
    }
    /** A stable code, as in `statusReason`. */
    reason:
      | 'no_refresh_token'
      | 'invalid_grant'
      | 'token_expired'
      | 'credentials_rejected'
      | 'reply_lost'
      | 'invalid_client'
      | 'oauth_app_missing'
      | 'auth_type_missing'
      | 'invalid_config'
      | 'oauth_app_secret_required'
      | 'authorization_server_changed'
      | (string & {})
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The tokens of an account cannot be refreshed until the operator fixes the OAuth app. While the provider refuses the client of the app, oauth_app.failing stands for the events of all its accounts. */
export interface AccountErrorEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.error'
  data: {
    account: IntegrationAccount
    /** What changed. */
    previous: {
      /** Its status before. */
      status: 'active' | 'pending' | 'needs_reauth' | 'error' | 'deleted' | (string & {})
    }
    /** A stable code, as in `statusReason`. */
    reason:
      | 'no_refresh_token'
      | 'invalid_grant'
      | 'token_expired'
      | 'credentials_rejected'
      | 'reply_lost'
      | 'invalid_client'
      | 'oauth_app_missing'
      | 'auth_type_missing'
      | 'invalid_config'
      | 'oauth_app_secret_required'
      | 'authorization_server_changed'
      | (string & {})
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The credentials of an account work again. After oauth_app.failing, oauth_app.recovered stands for the events of all accounts. */
export interface AccountRecoveredEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.recovered'
  data: {
    account: IntegrationAccount
    /** What changed. */
    previous: {
      /** Its status before. */
      status: 'active' | 'pending' | 'needs_reauth' | 'error' | 'deleted' | (string & {})
    }
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** An account was deleted. */
export interface AccountDeletedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'account.deleted'
  data: {
    account: IntegrationAccount
    /** What deleted it: api, customer (in the portal) or erasure. */
    by: string
    /** What became of its tokens, as in Delete integration account. */
    revocation: string | null
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A person tried to connect an account on a page and failed. At most one event per person and minute, and at most 16 per link and minute; without a link, per workspace. */
export interface ConnectFailedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'connect.failed'
  data: {
    /** Why: a code of errors.md, or insufficient_scope, rate_limited or wrong_host, as the integration reported. */
    code: string
    /** The field that the integration rejected. */
    field: string | null
    /** The link; null without one. */
    linkId: string | null
    /** The connect session; null without one. */
    connectSessionId: string | null
    /** The definition. */
    integrationDefinitionId: string
    /** The account to reconnect; null for a new one. */
    integrationAccountId: string | null
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A connect session was created. Its token is not part of the event. */
export interface ConnectSessionCreatedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'connect_session.created'
  data: {
    connectSession: ConnectSession
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A person pressed the button of the page of a connect session, which is bound to this browser now. */
export interface ConnectSessionOpenedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'connect_session.opened'
  data: {
    connectSession: ConnectSession
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The last account of a connect session was connected. */
export interface ConnectSessionCompletedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'connect_session.completed'
  data: {
    connectSession: ConnectSession
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A connect session has expired before it was completed. Its lastError says why the last attempt failed. */
export interface ConnectSessionExpiredEvent extends Omit<Event, 'type' | 'data'> {
  type: 'connect_session.expired'
  data: {
    connectSession: ConnectSession
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A connect session was revoked. */
export interface ConnectSessionRevokedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'connect_session.revoked'
  data: {
    connectSession: ConnectSession
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** An agent session was created. Its token is not part of the event. */
export interface AgentSessionCreatedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'agent_session.created'
  data: {
    agentSession: AgentSession
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** An agent session was revoked by its ID. Sessions that end with their creating token, or with their time, have no event. */
export interface AgentSessionRevokedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'agent_session.revoked'
  data: {
    agentSession: AgentSession
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** An agent has sent a request that a person has to approve first. Get agent approval returns the request. */
export interface AgentApprovalRequestedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'agent.approval_requested'
  data: {
    agentApproval: AgentApproval
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A request of an agent was approved or denied. */
export interface AgentApprovalDecidedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'agent.approval_decided'
  data: {
    agentApproval: AgentApproval
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A link was created. */
export interface LinkCreatedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'link.created'
  data: {
    link: Link
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The name, the limits or the allowlists of a link were changed. */
export interface LinkUpdatedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'link.updated'
  data: {
    link: Link
    /** The fields of the request. */
    changed: string[]
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A link was revoked. */
export interface LinkRevokedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'link.revoked'
  data: {
    link: Link
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A link has expired. */
export interface LinkExpiredEvent extends Omit<Event, 'type' | 'data'> {
  type: 'link.expired'
  data: {
    link: Link
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A link has as many accounts as it allows. It is published again if an account is deleted and another one takes its place. */
export interface LinkFullEvent extends Omit<Event, 'type' | 'data'> {
  type: 'link.full'
  data: {
    link: Link
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A custom definition was created. */
export interface DefinitionCreatedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.created'
  data: {
    definition: IntegrationDefinition
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The workspace runs a newer version of a definition. */
export interface DefinitionUpgradedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.upgraded'
  data: {
    definition: IntegrationDefinition
    /** The version that the workspace ran. */
    from: string
    /** The version that it runs now. */
    to: string
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The workspace runs an earlier version of a definition again. */
export interface DefinitionRolledBackEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.rolled_back'
  data: {
    definition: IntegrationDefinition
    /** The version that the workspace ran. */
    from: string
    /** The version that it runs now. */
    to: string
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The workspace has changed the entry of a definition of the catalogue, or runs the one of the catalogue again. */
export interface DefinitionOverriddenEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.overridden'
  data: {
    definition: IntegrationDefinition
    /** The version that the workspace ran. */
    from: string
    /** The version that it runs now. */
    to: string
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A custom definition was deleted. */
export interface DefinitionDeletedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.deleted'
  data: {
    definition: IntegrationDefinition
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The catalogue has a newer version of a definition than the workspace runs. */
export interface DefinitionUpdateAvailableEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.update_available'
  data: {
    definition: IntegrationDefinition
    /** The version that the workspace runs. */
    from: string
    /** The newest version. */
    to: string
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The provider of a definition rejects so many accounts that this is taken for an outage: until definition.trusted, rejections change the status of no account. */
export interface DefinitionSuspectEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.suspect'
  data: {
    /** The definition. */
    integrationDefinitionId: string
    /** Whether accounts of several workspaces showed it, and not only yours. */
    isEverywhere: boolean
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** Rejections by the provider of a definition count again. Each account that was held is checked, and decided alone. */
export interface DefinitionTrustedEvent extends Omit<Event, 'type' | 'data'> {
  type: 'definition.trusted'
  data: {
    /** The definition. */
    integrationDefinitionId: string
    /** Why: `provider`, it accepts accounts again; `person`, a request said so; `time`, it was suspect for a day. */
    by: 'provider' | 'person' | 'time' | (string & {})
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The provider refuses the client of an OAuth app, so that no tokens can be refreshed. One event, however many accounts are affected. */
export interface OauthAppFailingEvent extends Omit<Event, 'type' | 'data'> {
  type: 'oauth_app.failing'
  data: {
    oauthApp: IntegrationOAuthApp
    /** invalid_client. */
    code: string
    /** How many accounts are connected with the app, counted up to 1,000. */
    accounts: number
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The provider accepts the client of an OAuth app again. */
export interface OauthAppRecoveredEvent extends Omit<Event, 'type' | 'data'> {
  type: 'oauth_app.recovered'
  data: {
    oauthApp: IntegrationOAuthApp
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A token expires in seven days. Tokens that live no longer than that have no such event. The event of a token for all workspaces is in the oldest workspace of its user. */
export interface TokenExpiringEvent extends Omit<Event, 'type' | 'data'> {
  type: 'token.expiring'
  data: {
    token: Token
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The audit trail of the workspace has grown by 1,000 entries, or for 10 minutes: a signed statement of its hash, to compare with later. */
export interface AuditCheckpointEvent extends Omit<Event, 'type' | 'data'> {
  type: 'audit.checkpoint'
  data: {
    /** A signed statement of what the audit trail was. See docs/audit.md. */
    checkpoint: {
      /** The workspace. */
      workspaceId: string | null
      /** The number of its last entry. */
      sequence: number
      /** The hash of that entry. */
      hash: string
      /** When it was signed. */
      timestamp: string
      /** The JWK thumbprint (RFC 7638) of the key. */
      keyId: string
      /** Ed25519, in base64url. */
      signature: string
    }
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A webhook endpoint gets no more events, because none could be delivered for days, or because it asked for that. */
export interface WebhookEndpointDisabledEvent extends Omit<Event, 'type' | 'data'> {
  type: 'webhook_endpoint.disabled'
  data: {
    webhookEndpoint: WebhookEndpoint
    /** As in `stateReason`. */
    reason: string
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** An event was delivered to a webhook endpoint that was failing. */
export interface WebhookEndpointRecoveredEvent extends Omit<Event, 'type' | 'data'> {
  type: 'webhook_endpoint.recovered'
  data: {
    webhookEndpoint: WebhookEndpoint
    /** What changed. */
    previous: {
      /** Its state before. */
      state: string
    }
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** A test of a webhook endpoint was requested. Sent to this endpoint only, and not stored. */
export interface WebhookTestEvent extends Omit<Event, 'type' | 'data'> {
  type: 'webhook.test'
  data: {
    /** The endpoint. */
    webhookEndpointId: string
    /** The paths of arrays and texts that were cut, because an event has at most 20 kB. */
    truncated?: string[] | undefined
  }
}

/** The events by their types. */
export interface EventByType {
  'account.created': AccountCreatedEvent
  'account.updated': AccountUpdatedEvent
  'account.reconnected': AccountReconnectedEvent
  'account.facts_changed': AccountFactsChangedEvent
  'account.permissions_changed': AccountPermissionsChangedEvent
  'account.permission_needed': AccountPermissionNeededEvent
  'account.agent_access_changed': AccountAgentAccessChangedEvent
  'account.tool_changed': AccountToolChangedEvent
  'account.needs_reauth': AccountNeedsReauthEvent
  'account.error': AccountErrorEvent
  'account.recovered': AccountRecoveredEvent
  'account.deleted': AccountDeletedEvent
  'connect.failed': ConnectFailedEvent
  'connect_session.created': ConnectSessionCreatedEvent
  'connect_session.opened': ConnectSessionOpenedEvent
  'connect_session.completed': ConnectSessionCompletedEvent
  'connect_session.expired': ConnectSessionExpiredEvent
  'connect_session.revoked': ConnectSessionRevokedEvent
  'agent_session.created': AgentSessionCreatedEvent
  'agent_session.revoked': AgentSessionRevokedEvent
  'agent.approval_requested': AgentApprovalRequestedEvent
  'agent.approval_decided': AgentApprovalDecidedEvent
  'link.created': LinkCreatedEvent
  'link.updated': LinkUpdatedEvent
  'link.revoked': LinkRevokedEvent
  'link.expired': LinkExpiredEvent
  'link.full': LinkFullEvent
  'definition.created': DefinitionCreatedEvent
  'definition.upgraded': DefinitionUpgradedEvent
  'definition.rolled_back': DefinitionRolledBackEvent
  'definition.overridden': DefinitionOverriddenEvent
  'definition.deleted': DefinitionDeletedEvent
  'definition.update_available': DefinitionUpdateAvailableEvent
  'definition.suspect': DefinitionSuspectEvent
  'definition.trusted': DefinitionTrustedEvent
  'oauth_app.failing': OauthAppFailingEvent
  'oauth_app.recovered': OauthAppRecoveredEvent
  'token.expiring': TokenExpiringEvent
  'audit.checkpoint': AuditCheckpointEvent
  'webhook_endpoint.disabled': WebhookEndpointDisabledEvent
  'webhook_endpoint.recovered': WebhookEndpointRecoveredEvent
  'webhook.test': WebhookTestEvent
}

/**
 * An event, by its `type`. A newer service may send types that this version does not know: ignore them in the `default`
 * branch of a `switch`.
 */
export type LinchpinEvent = EventByType[keyof EventByType]

/** The codes of errors that this version knows. Services may return others. */
export type ErrorCode =
  | 'access_denied'
  | 'account_pending'
  | 'admin_consent_granted'
  | 'agent_approval_decided'
  | 'agent_approval_not_found'
  | 'agent_budget_spent'
  | 'agent_rule_denied'
  | 'agent_session_limit'
  | 'agent_session_not_found'
  | 'already_connected'
  | 'already_exists'
  | 'approval_denied'
  | 'approval_limit'
  | 'approval_required'
  | 'approver_not_allowed'
  | 'auth_type_not_allowed'
  | 'authorization_request_failed'
  | 'body_too_large'
  | 'bulk_job_limit'
  | 'bulk_job_not_found'
  | 'bundle_changed'
  | 'bundle_invalid'
  | 'check_in_progress'
  | 'choice_required'
  | 'circuit_open'
  | 'client_required'
  | 'concurrent_update'
  | 'connect_session_ended'
  | 'connect_session_limit'
  | 'connect_session_not_found'
  | 'credentials_rejected'
  | 'definition_from_catalogue'
  | 'definition_in_use'
  | 'egress_unavailable'
  | 'event_not_found'
  | 'events_gone'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'idempotency_in_progress'
  | 'idempotency_key_reused'
  | 'identity_mismatch'
  | 'insufficient_scope'
  | 'integration_account_not_found'
  | 'integration_bad_output'
  | 'integration_definition_not_found'
  | 'integration_failed'
  | 'integration_limit'
  | 'integration_timeout'
  | 'internal_error'
  | 'invalid_parameter'
  | 'link_expired'
  | 'link_full'
  | 'link_identifier_full'
  | 'link_not_found'
  | 'link_revoked'
  | 'malformed_json'
  | 'malformed_request'
  | 'mcp_server_invalid'
  | 'member_is_owner'
  | 'member_limit'
  | 'member_not_found'
  | 'method_not_allowed'
  | 'needs_reauth'
  | 'nothing_to_roll_back'
  | 'oauth_app_in_use'
  | 'oauth_app_missing'
  | 'oauth_app_not_found'
  | 'oauth_app_secret_required'
  | 'oauth_attempt_invalid'
  | 'oauth_confirm_invalid'
  | 'oauth_issuer_mismatch'
  | 'oauth_start_revoked'
  | 'overloaded'
  | 'preview_not_found'
  | 'preview_running'
  | 'provider_error'
  | 'provider_timeout'
  | 'proxy_target_not_allowed'
  | 'proxy_unavailable'
  | 'rate_limited'
  | 'redirect_url_not_allowed'
  | 'refresh_in_progress'
  | 'request_not_found'
  | 'request_timeout'
  | 'route_not_found'
  | 'scope_not_allowed'
  | 'secret_required'
  | 'shutting_down'
  | 'sign_in_not_configured'
  | 'sign_in_request_ended'
  | 'sign_in_request_not_found'
  | 'source_too_large'
  | 'source_unreachable'
  | 'source_url_forbidden'
  | 'storage_full'
  | 'storage_unavailable'
  | 'token_exchange_failed'
  | 'token_invalid'
  | 'token_missing'
  | 'token_not_found'
  | 'too_many_values'
  | 'tool_not_found'
  | 'tool_suspended'
  | 'unknown_reference'
  | 'unsupported_media_type'
  | 'uri_too_long'
  | 'validation_failed'
  | 'webhook_endpoint_limit'
  | 'webhook_endpoint_not_found'
  | 'webhook_url_forbidden'
  | 'workspace_not_accessible'
  | 'workspace_not_found'
