import type { Traffic } from './measure.ts'
import type { BenchmarkedService } from './subject.ts'

/** A measured operation and its requests. */
export interface MeasuredOperation {
  readonly name: string
  readonly connections: number
  readonly requests: Traffic['requests']
}

const READERS = 32
const CHECKERS = 8

/** The operations of the table. Those that run a bundle come last. */
export function measuredOperations(subject: BenchmarkedService): MeasuredOperation[] {
  const get = (name: string, paths: readonly string[]): MeasuredOperation => ({
    name,
    connections: READERS,
    requests: paths.map((path) => ({ method: 'GET', path: `/api/v1${path}` })),
  })
  const post = (name: string, path: string, body: object): MeasuredOperation => ({
    name,
    connections: CHECKERS,
    requests: [{ method: 'POST', path: `/api/v1${path}`, body: JSON.stringify(body) }],
  })
  const { accountIds, definitionId, linkId, credentials } = subject
  const definition = `/integration_definition/${definitionId}`
  return [
    get(
      'get account',
      accountIds.map((id) => `/integration_account/${id}`),
    ),
    get('list accounts (100)', ['/integration_account?limit=100']),
    get('get link', [`/link/${linkId}`]),
    get('get spec', [`${definition}/spec`]),
    post('check', '/integration_account/check', credentials),
    post('create account (checked)', '/integration_account', {
      ...credentials,
      integrationAccountName: 'Support desk',
    }),
  ]
}
