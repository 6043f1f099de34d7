import { Account } from './account.ts'
import {
  Accounts,
  AgentApprovals,
  AgentSessions,
  Attempts,
  Audit,
  BulkJobs,
  ConnectSessions,
  Customers,
  Definitions,
  Instance,
  Links,
  Members,
  OAuth,
  OAuthApps,
  Requests,
  SignInRequests,
  Statistics,
  Tokens,
  Users,
  WebhookEndpoints,
  Workspaces,
} from './api-groups.ts'
import { Events } from './events.ts'
import { createSend, type Fetch, type SendSettings } from './send.ts'

export interface LinchpinOptions {
  /** The base URL of the service, such as `https://connect.example.com`. */
  readonly baseUrl: string
  /** An access token of the API: `lp_…`. */
  readonly token: string
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** How long an attempt may take. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Attempts after the first, for each call. Default: 3. */
  readonly maxRetries?: number | undefined
}

/** The API of one Linchpin, used with one token. */
export class Linchpin {
  readonly accounts: Accounts
  readonly agentApprovals: AgentApprovals
  readonly agentSessions: AgentSessions
  readonly attempts: Attempts
  readonly audit: Audit
  readonly bulkJobs: BulkJobs
  readonly connectSessions: ConnectSessions
  readonly customers: Customers
  readonly definitions: Definitions
  readonly events: Events
  readonly instance: Instance
  readonly links: Links
  readonly members: Members
  readonly oauth: OAuth
  readonly oauthApps: OAuthApps
  readonly requests: Requests
  readonly signInRequests: SignInRequests
  readonly statistics: Statistics
  readonly tokens: Tokens
  readonly users: Users
  readonly webhookEndpoints: WebhookEndpoints
  readonly workspaces: Workspaces
  readonly #settings: SendSettings

  /** @throws TypeError for a base URL or a token that cannot be used */
  constructor(options: LinchpinOptions) {
    this.#settings = parseOptions(options)
    const send = createSend(this.#settings)
    this.accounts = new Accounts(send)
    this.agentApprovals = new AgentApprovals(send)
    this.agentSessions = new AgentSessions(send)
    this.attempts = new Attempts(send)
    this.audit = new Audit(send)
    this.bulkJobs = new BulkJobs(send)
    this.connectSessions = new ConnectSessions(send)
    this.customers = new Customers(send)
    this.definitions = new Definitions(send)
    this.events = new Events(send)
    this.instance = new Instance(send)
    this.links = new Links(send)
    this.members = new Members(send)
    this.oauth = new OAuth(send)
    this.oauthApps = new OAuthApps(send)
    this.requests = new Requests(send)
    this.signInRequests = new SignInRequests(send)
    this.statistics = new Statistics(send)
    this.tokens = new Tokens(send)
    this.users = new Users(send)
    this.webhookEndpoints = new WebhookEndpoints(send)
    this.workspaces = new Workspaces(send)
  }

  /** A connected account, to send requests to its provider. Sends nothing yet. @throws TypeError for an empty ID */
  account(integrationAccountId: string): Account {
    const getCredentials = (id: string) => this.accounts.getCredentials(id)
    return new Account({ settings: this.#settings, getCredentials }, integrationAccountId)
  }
}

function parseOptions({
  baseUrl,
  token,
  fetch = globalThis.fetch,
  timeoutMs = 30_000,
  maxRetries = 3,
}: LinchpinOptions): SendSettings {
  // What most often fills them is an environment variable.
  if (!baseUrl) throw new TypeError('baseUrl is missing. Is LINCHPIN_URL set?')
  if (!token) throw new TypeError('token is missing. Is LINCHPIN_TOKEN set?')
  if (!/^https?:\/\/[^/]+[^?#]*$/i.test(baseUrl))
    throw new TypeError(
      'baseUrl must be an http or https URL without query, such as https://connect.example.com.',
    )
  // The message of `fetch` for an invalid header contains the header.
  if (!/^[!-~]+$/.test(token))
    throw new TypeError('token must be an access token, lp_…, without spaces and line breaks.')
  return {
    apiUrl: `${baseUrl.replace(/\/+$/, '')}/api/v1`,
    authorization: `Bearer ${token}`,
    // Without a receiver: browsers and workers reject `settings.fetch(…)`.
    fetch: (input, init) => fetch(input, init),
    timeoutMs,
    maxRetries,
  }
}
