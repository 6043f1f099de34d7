import type { Traffic } from './measure.ts'
import type { BenchmarkedService } from './subject.ts'

/** A measured operation and its requests. */
export interface MeasuredOperation {
  readonly name: string
  readonly connections: number
  readonly requests: Traffic['requests']
  /** Default: the owner's. */
  readonly token?: string
}

const READERS = 32
const CHECKERS = 8

/** The operations of the table. Those that run a bundle come last. */
export function measuredOperations(subject: BenchmarkedService): MeasuredOperation[] {
  const { accountIds, definitionId, linkId, liveAccountId, readToken } = subject
  const account = accountIds.map((id) => `/integration_account/${id}`)
  const live = `/integration_account/${liveAccountId}`
  const list = '/integration_account?limit='
  return [
    get('get account', account),
    { ...get('get account, token with the scope read', account), token: readToken },
    get('get user', ['/user']),
    get('get definition', [`/integration_definition/${definitionId}`]),
    get('get spec', [`/integration_definition/${definitionId}/spec`]),
    get('list 100 accounts', [`${list}100`]),
    get('list 1,000 accounts', [`${list}1000`]),
    get('list accounts of one customer', listCustomers(`${list}100&accountIdentifier=`)),
    get('list accounts of one link', [`${list}100&linkId=${linkId}`]),
    get('list accounts by status', [`${list}100&status=needs_reauth`]),
    get('get link, 25 accounts', [`/link/${linkId}`]),
    get('get credentials', [`${live}/credentials`]),
    get('proxied request', [`${live}/proxy/tickets`]),
    ...checks(subject),
  ]
}

function checks({ credentials, declared }: BenchmarkedService): MeasuredOperation[] {
  const post = (name: string, path: string, body: object): MeasuredOperation => ({
    name,
    connections: CHECKERS,
    requests: [{ method: 'POST', path: `/api/v1${path}`, body: JSON.stringify(body) }],
  })
  return [
    post('check', '/integration_account/check', credentials),
    post('check, data in the sandbox', '/integration_account/check', declared.bundle),
    post('check, data in the host', '/integration_account/check', declared.entry),
    post('create account (checked)', '/integration_account', {
      ...credentials,
      integrationAccountName: 'Support desk',
    }),
    post('create account (checked), data in the host', '/integration_account', {
      ...declared.entry,
      integrationAccountName: 'Shop',
    }),
  ]
}

function get(name: string, paths: readonly string[]): MeasuredOperation {
  return {
    name,
    connections: READERS,
    requests: paths.map((path) => ({ method: 'GET', path: `/api/v1${path}` })),
  }
}

function listCustomers(path: string): string[] {
  return Array.from({ length: 10 }, (_, index) => `${path}customer-${index}`)
}
