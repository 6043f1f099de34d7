/** Where the value of a field comes from. */
export interface FieldSource {
  /** A setting (`config.subdomain`) or a credential (`credentials.username`) of the connection. */
  readonly from?: string
  /** A regular expression for the whole setting, whose first group is the value. Other settings are refused. */
  readonly pattern?: string
  /** The value, if the setting matches the pattern. */
  readonly value?: string
  /** The value for each setting. Other settings are refused. */
  readonly values?: Readonly<Record<string, string>>
  readonly prefix?: string
  /** The value without the setting. */
  readonly absent?: string
}

/** How the connections of a provider of Nango become accounts of an entry of the catalogue. */
export interface ProviderMap {
  /** The key of the entry. */
  readonly definition: string
  readonly authType: string
  /** Sources of each field. All that have a value must agree. */
  readonly fields: Readonly<Record<string, readonly FieldSource[]>>
  /** Settings that the entry has no field for, and which of their values change nothing for it. Others are refused. */
  readonly accepts?: Readonly<Record<string, string>>
}

const from = (name: string, more: Omit<FieldSource, 'from'> = {}): readonly FieldSource[] => [
  { from: name, ...more },
]
const constant = (value: string): readonly FieldSource[] => [{ absent: value }]
const signIn = (definition: string, fields: ProviderMap['fields'] = {}): ProviderMap => ({
  definition,
  authType: 'OAuth2',
  fields,
})
const key = (definition: string, authType: string, field: string): ProviderMap => ({
  definition,
  authType,
  fields: { [field]: from('credentials.apiKey') },
})

const SUBDOMAIN = from('config.subdomain')
const USERNAME = from('credentials.username')
const PASSWORD = from('credentials.password')
const CLIENT = {
  client_id: from('credentials.client_id'),
  client_secret: from('credentials.client_secret'),
}

const ZOHO_REGIONS = {
  com: 'zoho.com',
  eu: 'zoho.eu',
  in: 'zoho.in',
  'com.au': 'zoho.com.au',
  jp: 'zoho.jp',
  'com.cn': 'zoho.com.cn',
  sa: 'zoho.sa',
  ca: 'zohocloud.ca',
}
const ZOHO = signIn('zoho_crm', {
  region: [
    { from: 'config.extension', values: ZOHO_REGIONS },
    {
      from: 'config.accounts-server',
      pattern: 'https://accounts\\.zoho(?:cloud)?\\.([a-z.]+)/?',
      values: ZOHO_REGIONS,
    },
    {
      from: 'config.api_domain',
      pattern: 'https://www\\.zohoapis\\.([a-z.]+)/?',
      values: ZOHO_REGIONS,
    },
  ],
  api_domain: from('config.api_domain'),
})
const SANDBOX_HOST =
  '(?:test\\.salesforce\\.com|[a-z0-9-]+(?:--[a-z0-9-]+)?\\.sandbox\\.my\\.salesforce\\.com)'
const PRODUCTION_HOST = '(?:login\\.salesforce\\.com|[a-z0-9-]+\\.my\\.salesforce\\.com)'
const OKTA_DOMAINS = '(?:okta|okta-emea|oktapreview|okta-gov)\\.com'

/**
 * Providers of Nango 0.71 by name, whose settings or credentials have other names than the fields of the catalogue, or
 * whose name is not the key of the entry. Others are imported by equal names.
 */
export const PROVIDER_MAPS: Readonly<Record<string, ProviderMap>> = {
  'airtable-pat': key('airtable', 'Token', 'token'),
  amplitude: {
    definition: 'amplitude',
    authType: 'Api Key',
    fields: {
      api_key: USERNAME,
      secret_key: PASSWORD,
      region: from('config.hostname', { absent: 'amplitude.com' }),
    },
  },
  anthropic: { ...key('anthropic', 'Api Key', 'api_key'), accepts: { 'config.version': '.*' } },
  ashby: { definition: 'ashby', authType: 'Api Key', fields: { api_key: USERNAME } },
  'auth0-cc': {
    definition: 'auth0',
    authType: 'Client Credentials',
    fields: {
      ...CLIENT,
      tenant: from('config.hostname', { pattern: '([a-z0-9.-]+)\\.auth0\\.com' }),
    },
    accepts: { 'config.audience': 'https://[a-z0-9.-]+\\.auth0\\.com/api/v2/' },
  },
  'bamboohr-basic': {
    definition: 'bamboohr',
    authType: 'Api Key',
    fields: { api_key: USERNAME, subdomain: SUBDOMAIN },
  },
  cloudflare: key('cloudflare', 'Token', 'token'),
  'confluence-basic': {
    definition: 'confluence',
    authType: 'API Token',
    fields: { email: USERNAME, api_token: PASSWORD, site: SUBDOMAIN },
  },
  datadog: {
    definition: 'datadog',
    authType: 'Api Key',
    fields: {
      api_key: from('credentials.apiKey'),
      app_key: from('config.applicationKey'),
      site: from('config.siteParameter'),
    },
  },
  docusign: signIn('docusign', { environment: constant('account') }),
  'docusign-sandbox': signIn('docusign', { environment: constant('account-d') }),
  freshdesk: {
    definition: 'freshdesk',
    authType: 'Api Key',
    fields: { api_key: USERNAME, subdomain: SUBDOMAIN },
  },
  'github-pat': { ...key('github', 'Token', 'token'), accepts: { 'config.version': '.*' } },
  'gitlab-pat': {
    definition: 'gitlab',
    authType: 'Token',
    fields: {
      api_token: from('credentials.apiKey'),
      base_url: from('config.hostname', { prefix: 'https://' }),
    },
  },
  'google-mail': signIn('gmail'),
  'google-sheet': signIn('google_sheets'),
  'greenhouse-harvest-oauth2-cc': {
    definition: 'greenhouse',
    authType: 'Client Credentials',
    fields: { ...CLIENT, user_id: from('config.sub') },
  },
  gusto: signIn('gusto', { environment: constant('gusto') }),
  'gusto-demo': signIn('gusto', { environment: constant('gusto-demo') }),
  intercom: signIn('intercom', {
    region: from('config.region', {
      values: { eu: 'app.eu', au: 'app.au', us: 'app' },
      absent: 'app',
    }),
  }),
  'jira-basic': {
    definition: 'jira',
    authType: 'API Token',
    fields: { email: USERNAME, api_token: PASSWORD, site: SUBDOMAIN },
  },
  'lever-basic': { definition: 'lever', authType: 'Api Key', fields: { api_key: USERNAME } },
  mailchimp: signIn('mailchimp', { server: from('config.dc') }),
  mailgun: {
    definition: 'mailgun',
    authType: 'Api Key',
    fields: { api_key: PASSWORD, region: from('config.region', { absent: 'api' }) },
    accepts: { 'credentials.username': 'api' },
  },
  microsoft: signIn('microsoft_365'),
  mixpanel: {
    definition: 'mixpanel',
    authType: 'Service Account',
    fields: {
      username: USERNAME,
      service_secret: PASSWORD,
      region: constant('mixpanel.com'),
    },
  },
  'okta-api-key': {
    definition: 'okta',
    authType: 'Token',
    fields: {
      token: from('credentials.apiKey'),
      subdomain: from('config.hostname', { pattern: `([a-z0-9-]+)\\.${OKTA_DOMAINS}` }),
      domain: from('config.hostname', { pattern: `[a-z0-9-]+\\.(${OKTA_DOMAINS})` }),
    },
  },
  openai: key('openai', 'Api Key', 'api_key'),
  outlook: signIn('microsoft_365'),
  pagerduty: signIn('pagerduty', { region: constant('api') }),
  'personio-v2': { definition: 'personio', authType: 'Client Credentials', fields: CLIENT },
  pipedrive: signIn('pipedrive', { api_domain: from('config.api_domain') }),
  quickbooks: signIn('quickbooks', {
    environment: constant('quickbooks'),
    realmId: from('config.realmId'),
  }),
  'quickbooks-sandbox': signIn('quickbooks', {
    environment: constant('sandbox-quickbooks'),
    realmId: from('config.realmId'),
  }),
  salesforce: signIn('salesforce', {
    environment: [
      { from: 'config.hostname', pattern: PRODUCTION_HOST, value: 'login', absent: 'login' },
    ],
    instance_url: from('config.instance_url'),
  }),
  'salesforce-sandbox': signIn('salesforce', {
    environment: [
      { from: 'config.hostname', pattern: SANDBOX_HOST, value: 'test', absent: 'test' },
    ],
    instance_url: from('config.instance_url'),
  }),
  sendgrid: {
    definition: 'sendgrid',
    authType: 'Api Key',
    fields: { api_key: from('credentials.apiKey'), region: constant('api') },
  },
  sentry: {
    ...key('sentry', 'Token', 'token'),
    accepts: { 'config.hostname': '(?:us\\.)?sentry\\.io' },
  },
  shopify: signIn('shopify', { shop: SUBDOMAIN }),
  'shopify-api-key': {
    definition: 'shopify',
    authType: 'Access Token',
    fields: { admin_token: from('credentials.apiKey'), shop: SUBDOMAIN },
  },
  'shopify-cc': {
    definition: 'shopify',
    authType: 'Client Credentials',
    fields: { ...CLIENT, shop: SUBDOMAIN },
  },
  squareup: signIn('square', { environment: constant('squareup') }),
  'squareup-sandbox': signIn('square', { environment: constant('squareupsandbox') }),
  'stripe-api-key': {
    definition: 'stripe',
    authType: 'Api Key',
    fields: { api_key: USERNAME },
    // It selects another account of Stripe.
    accepts: { 'config.context': '' },
  },
  twilio: {
    definition: 'twilio',
    authType: 'Auth Token',
    fields: { account_sid: USERNAME, auth_token: PASSWORD },
  },
  typeform: signIn('typeform', { region: constant('api.typeform.com') }),
  vercel: key('vercel', 'Token', 'token'),
  woocommerce: {
    definition: 'woocommerce',
    authType: 'Api Key',
    fields: {
      consumer_key: USERNAME,
      consumer_secret: PASSWORD,
      base_url: from('config.storeURL', { prefix: 'https://' }),
    },
  },
  workable: {
    definition: 'workable',
    authType: 'Token',
    fields: { token: from('credentials.apiKey'), subdomain: SUBDOMAIN },
  },
  'zendesk-api-key': {
    definition: 'zendesk',
    authType: 'Api Key',
    fields: { email: USERNAME, api_token: PASSWORD, subdomain: SUBDOMAIN },
  },
  zoho: ZOHO,
  'zoho-crm': ZOHO,
  'zoom-cc': {
    definition: 'zoom',
    authType: 'Server to Server',
    fields: { ...CLIENT, account_id: from('config.accountId') },
  },
}

/** Providers whose grant Nango revokes when a connection is deleted there. */
export const REVOKED_ON_DELETION: ReadonlySet<string> = new Set([
  'hubspot',
  'intercom',
  'linear',
  'onelogin',
])
