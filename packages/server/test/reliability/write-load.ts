import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../../../../examples/provider/provider.ts'
import { createDeskCredentials } from './desk-provider.ts'
import type { Intent, Ledger } from './ledger.ts'
import type { ServiceProcess } from './service-process.ts'

/** The writes of the clients. */
export interface WriteLoad {
  readonly ledger: Ledger
  readonly provider: Provider
  readonly definitionId: string
  /** The prefix of every name, which distinguishes the rounds. */
  readonly prefix: string
  /** Also accepts 503 and continues, for rounds in which the database is killed. */
  readonly allows503?: boolean
}

/** Clients that run until the service exits or `stop` is called. */
export interface RunningLoad {
  /** Resolves to the unexpected responses. */
  stop(): Promise<string[]>
}

const LINK_CLIENTS = 4
const ACCOUNT_CLIENTS = 4
const READ_PAUSE_MS = 10

/** Lets clients create links and accounts one after another, and record each write that the service acknowledges. */
export function startLoad(service: ServiceProcess, load: WriteLoad): RunningLoad {
  let isStopping = false
  const unexpected: string[] = []

  async function runClient(kind: Intent['kind'], number: number): Promise<void> {
    for (let count = 0; !isStopping; count += 1) {
      const name = `${load.prefix}-${kind}-${number}-${count}`
      const { path, body, intent } = request(load, kind, name)
      load.ledger.recordIntent(intent)
      const response = await service.call('POST', path, body).catch(() => undefined)
      // The connection broke, so whether the write was stored is unknown.
      if (response === undefined) {
        if (load.allows503 !== true || service.child.signalCode !== null) return
      } else if (response.status === 201)
        load.ledger.acknowledge(name, response.body.linkId ?? response.body.integrationAccountId)
      else if (response.status !== 503 || load.allows503 !== true)
        unexpected.push(`${name}: ${JSON.stringify(response.body)}`)
    }
  }

  async function readCredentials(): Promise<void> {
    for (; !isStopping && service.child.signalCode === null; await sleep(READ_PAUSE_MS)) {
      const accountId = load.ledger.getAccountId()
      if (accountId === undefined) continue
      const path = `/v1/integration_account/${accountId}/credentials`
      const response = await service.call('GET', path).catch(() => undefined)
      if (response?.status === 200)
        load.ledger.acknowledgeRead(response.headers.get('x-request-id') ?? '')
    }
  }

  const clients = [
    ...Array.from({ length: LINK_CLIENTS }, (_, number) => runClient('link', number)),
    ...Array.from({ length: ACCOUNT_CLIENTS }, (_, number) => runClient('account', number)),
    readCredentials(),
  ]
  return {
    async stop() {
      isStopping = true
      await Promise.all(clients)
      return unexpected
    },
  }
}

/** Creates an account, whose credentials the clients then read. */
export async function createFirstAccount(
  service: ServiceProcess,
  load: Omit<WriteLoad, 'prefix'>,
): Promise<void> {
  const name = 'first-account'
  const { path, body, intent } = request(load, 'account', name)
  load.ledger.recordIntent(intent)
  const response = await service.call('POST', path, body)
  load.ledger.acknowledge(name, response.body.integrationAccountId)
}

function request(load: Omit<WriteLoad, 'prefix'>, kind: Intent['kind'], name: string) {
  if (kind === 'link')
    return {
      path: '/v1/link',
      body: { linkName: name, expiresIn: 3_600 },
      intent: { name, kind, fields: { expiresIn: 3_600, canExpire: true } },
    }
  const credentials = createDeskCredentials(load.definitionId, load.provider, `desk_live_${name}`)
  const { config, ...fields } = credentials
  return {
    path: '/v1/integration_account',
    body: { ...credentials, integrationAccountName: name },
    intent: { name, kind, config, fields: { ...fields, deleted: null } },
  }
}
