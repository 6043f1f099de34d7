import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess, ServiceResponse } from './service-process.ts'

/** A request of a client. Its name is unique, so that it identifies the request. */
export interface Intent {
  readonly name: string
  readonly kind: 'link' | 'account'
  /** The fields that the stored resource must have. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The secret configuration of an account. */
  readonly config?: Readonly<Record<string, unknown>>
}

/** Differences between the stored data and the responses that clients received. Every list must be empty. */
export interface LedgerErrors {
  /** Acknowledged by a response, but not stored. */
  readonly lost: string[]
  /** Stored, but incomplete. */
  readonly incomplete: string[]
  /** Stored without a request, or twice. */
  readonly unexpected: string[]
}

/** The clients' record of their requests and of the writes that the service acknowledged. */
export interface Ledger {
  readonly acknowledgedCount: number
  readonly unansweredCount: number
  /** How many reads of credentials were acknowledged. */
  readonly readCount: number
  recordIntent(intent: Intent): void
  /** The service responded with 201 and this id. */
  acknowledge(name: string, id: string): void
  /** An acknowledged account, if there is one. */
  getAccountId(): string | undefined
  /** The service responded to this request with credentials, so its audit trail must have one entry of it. */
  acknowledgeRead(requestId: string): void
  /**
   * Reads everything back through the API.
   *
   * @param expectAll counts requests without a response as acknowledged: the control, which must report losses
   */
  compare(service: ServiceProcess, options?: { expectAll?: boolean }): Promise<LedgerErrors>
}

/** Starts an empty record. */
export function createLedger(): Ledger {
  const intents = new Map<string, Intent>()
  const acknowledged = new Map<string, string>()
  const verifiedCredentials = new Set<string>()
  const reads = new Set<string>()
  let readCount = 0

  async function isComplete(service: ServiceProcess, intent: Intent, row: Row): Promise<boolean> {
    if (!Object.entries(intent.fields).every(([field, value]) => row[field] === value)) return false
    if (intent.kind === 'link' || verifiedCredentials.has(intent.name)) return true
    verifiedCredentials.add(intent.name)
    const path = `/v1/integration_account/${row.integrationAccountId}/credentials`
    const { status, body } = await service.call('GET', path)
    return status === 200 && JSON.stringify(body.config) === JSON.stringify(intent.config)
  }

  return {
    get acknowledgedCount() {
      return acknowledged.size
    },
    get unansweredCount() {
      return intents.size - acknowledged.size
    },
    get readCount() {
      return readCount
    },
    getAccountId: () => acknowledged.values().find((id) => id.startsWith('acc_')),
    recordIntent: (intent) => void intents.set(intent.name, intent),
    acknowledge: (name, id) => void acknowledged.set(name, id),
    acknowledgeRead: (requestId) => {
      readCount += 1
      reads.add(requestId)
    },
    async compare(service, { expectAll = false } = {}) {
      const errors: LedgerErrors = { lost: [], incomplete: [], unexpected: [] }
      const stored = new Map<string, string>()
      for (const row of await listAll(service)) {
        const { name, id } = getIdentity(row)
        const intent = intents.get(name)
        if (intent === undefined || stored.has(name)) errors.unexpected.push(name)
        else if (!(await isComplete(service, intent, row))) errors.incomplete.push(name)
        stored.set(name, id)
      }
      for (const name of expectAll ? intents.keys() : acknowledged.keys()) {
        const id = acknowledged.get(name)
        if (!stored.has(name) || (id !== undefined && stored.get(name) !== id))
          errors.lost.push(name)
      }
      for (const requestId of reads) {
        const entries = await countEntries(service, requestId)
        if (entries === 1) reads.delete(requestId)
        else errors.lost.push(`${requestId}: ${entries} entries of the audit trail`)
      }
      return errors
    },
  }
}

/** How many entries a request has in the audit trail. Waits a moment for the first: they are chained first. */
async function countEntries(service: ServiceProcess, requestId: string): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { body } = await service.call('GET', `/v1/audit?requestId=${requestId}`)
    if (body.length > 0) return body.length
    await sleep(100)
  }
  return 0
}

type Row = Readonly<Record<string, unknown>>

function getIdentity(row: Row): { name: string; id: string } {
  return 'linkName' in row
    ? { name: String(row.linkName), id: String(row.linkId) }
    : { name: String(row.integrationAccountName), id: String(row.integrationAccountId) }
}

async function listAll(service: ServiceProcess): Promise<Row[]> {
  const links = await listPages(service, '/v1/link?limit=1000')
  const accounts = await listPages(service, '/v1/integration_account?limit=1000')
  return [...links, ...accounts]
}

async function listPages(service: ServiceProcess, first: string): Promise<Row[]> {
  const rows: Row[] = []
  let path: string | undefined = first
  while (path !== undefined) {
    const response: ServiceResponse = await service.call('GET', path)
    if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
    rows.push(...response.body)
    path = /<[^>]*\/api(\/v1[^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return rows
}
