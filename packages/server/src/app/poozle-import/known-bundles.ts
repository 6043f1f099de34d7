import type { PoozleDefinition } from './poozle-source-store.ts'

/** Where the value of a field comes from: a member of the configuration, or the first group of a pattern for the whole of it. */
type FieldSource = string | { readonly from: string; readonly pattern: string }

/** How accounts of an auth type become accounts of the entry. */
export interface KnownAuth {
  /** The auth type of the entry. */
  readonly authType: string
  /** Sources by the fields of the entry. */
  readonly fields: Readonly<Record<string, FieldSource>>
}

/** A bundle that Poozle has published, and the entry of the catalogue for the same tool. */
export interface KnownBundle {
  /** The key of the entry. */
  readonly entry: string
  /** By the auth types of Poozle's accounts. */
  readonly auth: Readonly<Record<string, KnownAuth>>
  /** The base URL under the names of the bundle, by auth type. Default: that of the entry. */
  readonly apiBaseUrl?: Readonly<Record<string, string>>
  /** Hosts that the bundle calls besides those of the entry and its own OAuth endpoints. */
  readonly hosts?: readonly string[]
}

const OAUTH2: KnownAuth = { authType: 'OAuth2', fields: {} }
const key = (authType: string, field: string, from = 'api_key'): KnownAuth => ({
  authType,
  fields: { [field]: from },
})
const site = (from: string): FieldSource => ({
  from,
  pattern: '(?:https://)?([a-z0-9-]+)\\.atlassian\\.net/?',
})
const atlassian = (entry: string, domain: string): KnownBundle => ({
  entry,
  auth: {
    OAuth2: OAUTH2,
    'Api Key': {
      authType: 'API Token',
      fields: { email: 'email_id', api_token: 'api_key', site: site(domain) },
    },
  },
  apiBaseUrl: { 'Api Key': `https://\${${domain}}` },
})
const subdomain: FieldSource = {
  from: 'zendesk_domain',
  pattern: '(?:https://)?([a-z0-9-]+)\\.zendesk\\.com/?',
}
// biome-ignore lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
const ZENDESK_URL = 'https://${zendesk_domain}/api/v2'

/**
 * Bundles of Poozle's repository of artifacts by their folders, in which none has a base URL or hosts. Poozle stores a
 * sign-in without a refresh token as `Api Key`, with the access token as `api_key`, whatever the spec has.
 */
const KNOWN_BUNDLES: Readonly<Record<string, KnownBundle>> = {
  asana: { entry: 'asana', auth: { OAuth2: OAUTH2, 'Api Key': key('Token', 'api_token') } },
  clickup: { entry: 'clickup', auth: { OAuth2: OAUTH2, 'Api Key': key('Token', 'api_token') } },
  confluence: atlassian('confluence', 'confluence_domain'),
  freshbooks: { entry: 'freshbooks', auth: { OAuth2: OAUTH2 } },
  github: { entry: 'github', auth: { OAuth2: OAUTH2, 'Api Key': key('Token', 'token') } },
  gitlab: {
    entry: 'gitlab',
    auth: { OAuth2: OAUTH2, 'Api Key': key('Token', 'api_token') },
    apiBaseUrl: { 'Api Key': 'https://gitlab.com/api/v4' },
  },
  gmail: { entry: 'gmail', auth: { OAuth2: OAUTH2 }, hosts: ['www.googleapis.com'] },
  google_calendar: { entry: 'google_calendar', auth: { OAuth2: OAUTH2 } },
  google_drive: { entry: 'google_drive', auth: { OAuth2: OAUTH2 } },
  jira: atlassian('jira', 'jira_domain'),
  lever: { entry: 'lever', auth: { OAuth2: OAUTH2, 'Api Key': key('Api Key', 'api_key') } },
  linearapp: { entry: 'linear', auth: { OAuth2: OAUTH2, 'Api Key': key('Api Key', 'api_key') } },
  monday: { entry: 'monday', auth: { OAuth2: OAUTH2, 'Api Key': key('Token', 'api_token') } },
  notion: { entry: 'notion', auth: { OAuth2: OAUTH2, 'Api Key': key('Token', 'api_token') } },
  sage: { entry: 'sage', auth: { OAuth2: OAUTH2 } },
  slack: {
    entry: 'slack',
    auth: {
      OAuth2: OAUTH2,
      Token: key('Bot Token', 'bot_token', 'token'),
      'Api Key': key('Bot Token', 'bot_token'),
    },
  },
  stripe: {
    entry: 'stripe',
    auth: { 'Api Key': key('Api Key', 'api_key') },
    apiBaseUrl: { OAuth2: 'https://api.stripe.com' },
  },
  xero: { entry: 'xero', auth: { OAuth2: OAUTH2 } },
  zendesk: {
    entry: 'zendesk',
    auth: {
      OAuth2: { authType: 'OAuth2', fields: { subdomain } },
      'Api-Key': {
        authType: 'Api Key',
        fields: { email: 'email_id', api_token: 'api_key', subdomain },
      },
    },
    apiBaseUrl: { OAuth2: ZENDESK_URL, 'Api-Key': ZENDESK_URL },
  },
}

/** All known bundles, for the comparison with the catalogue. */
export const listKnownBundles = (): KnownBundle[] => Object.values(KNOWN_BUNDLES)

/** The known bundle of a definition: by the folder in its source URL, else by its key. */
export function findKnownBundle({
  sourceUrl,
  key,
}: Pick<PoozleDefinition, 'sourceUrl' | 'key'>): KnownBundle | undefined {
  const folder = /\/([a-z_]+)\/\d[\w.-]*\/index\.js$/.exec(sourceUrl)?.[1]
  const name = [folder, key].find((one) => one !== undefined && Object.hasOwn(KNOWN_BUNDLES, one))
  return name === undefined ? undefined : KNOWN_BUNDLES[name]
}

/** The value of a field from Poozle's configuration; undefined if it is absent or does not match. */
export function readField(
  source: FieldSource,
  config: Readonly<Record<string, unknown>>,
): string | undefined {
  const { from, pattern } = typeof source === 'string' ? { from: source, pattern: '(.*)' } : source
  const value = config[from]
  if (typeof value !== 'string') return undefined
  return new RegExp(`^(?:${pattern})$`, 's').exec(value.trim())?.[1] || undefined
}
