import type { SentRequest } from './measure.ts'
import { prepareConsole, prepareDeepPage, prepareRevalidation } from './measured-reads.ts'
import { prepareDeletions, prepareErasures, prepareRenames } from './measured-writes.ts'
import type { BenchmarkedService } from './subject.ts'

/** A measured operation. */
export interface MeasuredOperation {
  readonly name: string
  readonly connections: number
  /** Creates what the requests need. Undefined if the service does not have what is measured. */
  prepare(): PreparedRequests | undefined | Promise<PreparedRequests | undefined>
  /** Whether each request can be sent again. Default: yes. */
  readonly isRepeatable?: boolean
  /** What else is sent, and measured, at the same time. CPU time is then of both. */
  readonly beside?: MeasuredOperation
  /** The request to the provider that a bare proxy sends. Without it, the bare server has the responses. */
  readonly provider?: ProviderRequest
}

export interface PreparedRequests {
  readonly requests: readonly SentRequest[]
  /** Default: the owner's. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What responses may have besides 2xx. */
  readonly status?: number
}

/** A request to the provider of the examples. */
export interface ProviderRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const READERS = 32
const WRITERS = 8
const READERS_BESIDE_WRITERS = 2
/** Of the tickets that the proxy requests. */
const TICKETS: ProviderRequest = { path: '/api/tickets', headers: { 'x-api-key': 'desk_live_1' } }
const PRODUCTS: ProviderRequest = { path: '/wp-json/wc/v3/products?per_page=1', headers: {} }

/** The operations of the table. Those that change something come last. */
export function measuredOperations(subject: BenchmarkedService): MeasuredOperation[] {
  return [...reads(subject), ...listings(subject), ...checks(subject), ...writes(subject)]
}

function reads(subject: BenchmarkedService): MeasuredOperation[] {
  const { accountIds, definitionId, fullLinkId, linkId, liveAccountId, readToken } = subject
  const account = accountIds.map((id) => `/integration_account/${id}`)
  const live = `/integration_account/${liveAccountId}`
  return [
    get('get account', account),
    get('get account, token with the scope read', account, { token: readToken }),
    get('get user', ['/user']),
    alone(get('get user, 10,000 workspaces', ['/user'], { token: subject.manyWorkspacesToken })),
    get('get definition', [`/integration_definition/${definitionId}`]),
    get('get spec', [`/integration_definition/${definitionId}/spec`]),
    get('get link, 25 accounts', [`/link/${linkId}`]),
    alone(get('get link, a twentieth of all accounts', [`/link/${fullLinkId}`])),
    get('get credentials', [`${live}/credentials`]),
    { ...get('proxied request', [`${live}/proxy/tickets`]), provider: TICKETS },
  ]
}

function listings(subject: BenchmarkedService): MeasuredOperation[] {
  const { linkId, fullLinkId, accountCount, accountIds } = subject
  const list = '/integration_account?limit='
  const customer = `customer-${Math.floor(accountCount / 20)}`
  const revalidated = `/api/v1${list}1000`
  return [
    get('list 100 accounts', [`${list}100`]),
    get('list 1,000 accounts', [`${list}1000`]),
    {
      ...get('list 1,000 accounts, If-None-Match', []),
      prepare: () => prepareRevalidation(subject, revalidated),
    },
    get('list accounts of one customer', listCustomers(`${list}100&accountIdentifier=`)),
    get('list accounts of one link', [`${list}100&linkId=${linkId}`]),
    get('list accounts by status', [`${list}100&status=needs_reauth`]),
    alone(get('list accounts of a twentieth by link', [`${list}100&linkId=${fullLinkId}`])),
    {
      ...alone(get('list accounts, a page in the middle', [])),
      prepare: () => prepareDeepPage(subject, `/api/v1${list}100`),
    },
    alone(get('search accounts, found', [`${list}25&q=${customer}`])),
    alone(get('search accounts, not found', [`${list}25&q=nowhere`])),
    alone(get('count accounts', ['/integration_account/count'])),
    alone(get('list customers', ['/customer?limit=100', '/customer?limit=100&q=customer-9'])),
    alone(get('list audit events', ['/audit?limit=100', `/audit?subject=${accountIds[0]}`])),
    { ...alone(get('metrics', [])), prepare: () => ({ requests: [toGet('/metrics')] }) },
    {
      ...alone(get('console: connections', [])),
      prepare: () => prepareConsole(subject, '/console/connections'),
    },
  ]
}

function checks({ credentials, declared }: BenchmarkedService): MeasuredOperation[] {
  const check = (name: string, body: object) => post(name, '/integration_account/check', body)
  const create = (name: string, body: object) => post(name, '/integration_account', body)
  return [
    check('check', credentials),
    alone(check('check, one at a time', credentials)),
    check('check, data in the sandbox', declared.bundle),
    { ...check('check, data in the host', declared.entry), provider: PRODUCTS },
    alone({
      ...check('check, data in the host, one at a time', declared.entry),
      provider: PRODUCTS,
    }),
    create('create account (checked)', { ...credentials, integrationAccountName: 'Support desk' }),
    create('create account (checked), data in the host', {
      ...declared.entry,
      integrationAccountName: 'Shop',
    }),
  ]
}

function writes(subject: BenchmarkedService): MeasuredOperation[] {
  const account = subject.accountIds.map((id) => `/integration_account/${id}`)
  const rename = (name: string, workspaces?: number): MeasuredOperation => ({
    name,
    connections: WRITERS,
    prepare: () => prepareRenames(subject, workspaces),
  })
  return [
    rename('rename accounts of one workspace', 1),
    rename('rename accounts of 300 workspaces', 300),
    {
      ...get('get account beside 8 writers', account),
      connections: READERS_BESIDE_WRITERS,
      beside: rename('rename accounts beside 2 readers'),
    },
    {
      name: 'delete account',
      connections: WRITERS,
      isRepeatable: false,
      prepare: () => prepareDeletions(subject),
    },
    {
      name: 'erase a customer of 5 accounts',
      connections: 1,
      isRepeatable: false,
      prepare: () => prepareErasures(subject),
    },
  ]
}

function get(
  name: string,
  paths: readonly string[],
  options: Pick<PreparedRequests, 'token'> = {},
): MeasuredOperation {
  const requests = paths.map((path) => toGet(`/api/v1${path}`))
  return { name, connections: READERS, prepare: () => ({ requests, ...options }) }
}

function post(name: string, path: string, body: object): MeasuredOperation {
  const request = { method: 'POST', path: `/api/v1${path}`, body: JSON.stringify(body) } as const
  return { name, connections: WRITERS, prepare: () => ({ requests: [request] }) }
}

function alone(operation: MeasuredOperation): MeasuredOperation {
  return { ...operation, connections: 1 }
}

function toGet(path: string): SentRequest {
  return { method: 'GET', path }
}

function listCustomers(path: string): string[] {
  return Array.from({ length: 10 }, (_, index) => `${path}customer-${index}`)
}
