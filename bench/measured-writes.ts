import type { SentRequest } from './measure.ts'
import type { PreparedRequests } from './operations.ts'
import { type BenchmarkedService, create, createUser } from './subject.ts'

const RENAMED_ACCOUNTS = 300
const DELETED_ACCOUNTS = 5_000
const PAGE = 1_000

/** Changes of names, in turn: of accounts in new workspaces of a new user; without a number, of those in the database. */
export async function prepareRenames(
  subject: BenchmarkedService,
  workspaces?: number,
): Promise<PreparedRequests> {
  if (workspaces === undefined) return { requests: toRenames(subject.accountIds) }
  const { service, declared } = subject
  const { token } = await createUser(service)
  const workspaceIds: string[] = []
  for (let count = 0; count < workspaces; count += 1) {
    const body = { slug: `renamed-${count}` }
    const { workspaceId } = await create(service, 'workspace', body, { token })
    workspaceIds.push(workspaceId)
  }
  const accountIds: string[] = []
  for (let count = 0; count < RENAMED_ACCOUNTS; count += 1) {
    const workspaceId = workspaceIds[count % workspaces]
    const body = { ...declared.entry, workspaceId, integrationAccountName: 'Shop' }
    const account = await create(service, 'integration_account', body, { token })
    accountIds.push(account.integrationAccountId)
  }
  return { requests: toRenames(accountIds), token }
}

/** Each account gets another name each time. */
function toRenames(accountIds: readonly string[]): SentRequest[] {
  return ['Support', 'Help'].flatMap((integrationAccountName) =>
    accountIds.map(
      (id): SentRequest => ({
        method: 'POST',
        path: `/api/v1/integration_account/${id}`,
        body: JSON.stringify({ integrationAccountName }),
      }),
    ),
  )
}

/** Deletions of accounts that nothing else reads: the newest. */
export async function prepareDeletions({ service }: BenchmarkedService): Promise<PreparedRequests> {
  const requests: SentRequest[] = []
  let path = `/v1/integration_account?limit=${PAGE}&order=-createdAt&status=active`
  while (requests.length < DELETED_ACCOUNTS) {
    const { body, headers } = await service.call('GET', path)
    for (const { integrationAccountId: id } of body)
      requests.push({ method: 'DELETE', path: `/api/v1/integration_account/${id}` })
    const next = /<[^>]*?\/api(\/v1[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    if (next === undefined) break
    path = next
  }
  return { requests }
}

/** Erasures of customers in the middle. */
export function prepareErasures({ accountCount }: BenchmarkedService): PreparedRequests {
  const customers = Math.floor(accountCount / 10)
  const requests = Array.from({ length: Math.floor(customers / 4) }, (_, index): SentRequest => {
    const accountIdentifier = `customer-${Math.floor(customers / 2) + index}`
    return { method: 'POST', path: '/api/v1/erasure', body: JSON.stringify({ accountIdentifier }) }
  })
  return { requests }
}
