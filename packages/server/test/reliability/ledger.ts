import type { Answer, ServiceProcess } from './service-process.ts'

/** What a client asked for. Its name is asked for once only, so that it tells requests apart. */
export interface Intent {
  readonly name: string
  readonly kind: 'link' | 'account'
  /** Fields that the stored thing must have. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The secret configuration of an account. */
  readonly config?: Readonly<Record<string, unknown>>
}

/** What the service holds against what its clients were told. Every list must be empty. */
export interface Faults {
  /** Promised by an answer, and not there. */
  readonly lost: string[]
  /** There, but not whole. */
  readonly torn: string[]
  /** There without being asked for, or twice. */
  readonly unasked: string[]
}

/** The clients' own record of what they asked for and what they were promised. */
export interface Ledger {
  readonly acked: number
  readonly unanswered: number
  ask(intent: Intent): void
  /** The service answered 201 with this id. */
  promise(name: string, id: string): void
  /**
   * Reads everything back through the API.
   *
   * @param believeAll counts requests without an answer as promised: the control, which must report losses
   */
  compare(service: ServiceProcess, options?: { believeAll?: boolean }): Promise<Faults>
}

/** Starts an empty record. */
export function createLedger(): Ledger {
  const asked = new Map<string, Intent>()
  const promised = new Map<string, string>()
  const opened = new Set<string>()

  async function isWhole(service: ServiceProcess, intent: Intent, row: Row): Promise<boolean> {
    if (!Object.entries(intent.fields).every(([field, value]) => row[field] === value)) return false
    if (intent.kind === 'link' || opened.has(intent.name)) return true
    opened.add(intent.name)
    const path = `/v1/integration_account/${row.integrationAccountId}/credentials`
    const { status, body } = await service.call('GET', path)
    return status === 200 && JSON.stringify(body.config) === JSON.stringify(intent.config)
  }

  return {
    get acked() {
      return promised.size
    },
    get unanswered() {
      return asked.size - promised.size
    },
    ask: (intent) => void asked.set(intent.name, intent),
    promise: (name, id) => void promised.set(name, id),
    async compare(service, { believeAll = false } = {}) {
      const faults: Faults = { lost: [], torn: [], unasked: [] }
      const stored = new Map<string, string>()
      for (const row of await readEverything(service)) {
        const { name, id } = identify(row)
        const intent = asked.get(name)
        if (intent === undefined || stored.has(name)) faults.unasked.push(name)
        else if (!(await isWhole(service, intent, row))) faults.torn.push(name)
        stored.set(name, id)
      }
      for (const name of believeAll ? asked.keys() : promised.keys()) {
        const id = promised.get(name)
        if (!stored.has(name) || (id !== undefined && stored.get(name) !== id))
          faults.lost.push(name)
      }
      return faults
    },
  }
}

type Row = Readonly<Record<string, unknown>>

function identify(row: Row): { name: string; id: string } {
  return 'linkName' in row
    ? { name: String(row.linkName), id: String(row.linkId) }
    : { name: String(row.integrationAccountName), id: String(row.integrationAccountId) }
}

async function readEverything(service: ServiceProcess): Promise<Row[]> {
  const links = await readPages(service, '/v1/link?limit=1000')
  const accounts = await readPages(service, '/v1/integration_account?limit=1000')
  return [...links, ...accounts]
}

async function readPages(service: ServiceProcess, first: string): Promise<Row[]> {
  const rows: Row[] = []
  let path: string | undefined = first
  while (path !== undefined) {
    const answer: Answer = await service.call('GET', path)
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    rows.push(...answer.body)
    path = /<[^>]*\/api(\/v1[^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return rows
}
