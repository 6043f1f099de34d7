import type { Provider } from '../../../../examples/provider/provider.ts'
import { deskCredentials } from './desk.ts'
import type { Intent, Ledger } from './ledger.ts'
import type { ServiceProcess } from './service-process.ts'

/** What the clients write. */
export interface WriteLoad {
  readonly ledger: Ledger
  readonly provider: Provider
  readonly definitionId: string
  /** Begins every name, so that rounds tell their names apart. */
  readonly prefix: string
  /** Also takes 503 as an answer and goes on: for rounds in which the database goes away. */
  readonly survives503?: boolean
}

/** Clients that run until the service is gone or they are told to stop. */
export interface RunningLoad {
  /** Resolves to the answers that nobody should have got. */
  stop(): Promise<string[]>
}

const LINK_CLIENTS = 4
const ACCOUNT_CLIENTS = 4

/** Lets clients create links and accounts one after another, and write down each promise they are given. */
export function startLoad(service: ServiceProcess, load: WriteLoad): RunningLoad {
  let isStopping = false
  const surprises: string[] = []

  async function client(kind: Intent['kind'], number: number): Promise<void> {
    for (let count = 0; !isStopping; count += 1) {
      const name = `${load.prefix}-${kind}-${number}-${count}`
      const { path, body, intent } = request(load, kind, name)
      load.ledger.ask(intent)
      const answer = await service.call('POST', path, body).catch(() => undefined)
      // The connection broke: whether it was stored is for nobody to know.
      if (answer === undefined) {
        if (load.survives503 !== true || service.child.signalCode !== null) return
      } else if (answer.status === 201)
        load.ledger.promise(name, answer.body.linkId ?? answer.body.integrationAccountId)
      else if (answer.status !== 503 || load.survives503 !== true)
        surprises.push(`${name}: ${JSON.stringify(answer.body)}`)
    }
  }

  const clients = [
    ...Array.from({ length: LINK_CLIENTS }, (_, number) => client('link', number)),
    ...Array.from({ length: ACCOUNT_CLIENTS }, (_, number) => client('account', number)),
  ]
  return {
    async stop() {
      isStopping = true
      await Promise.all(clients)
      return surprises
    },
  }
}

function request(load: WriteLoad, kind: Intent['kind'], name: string) {
  if (kind === 'link')
    return {
      path: '/v1/link',
      body: { linkName: name, expiresIn: 3_600 },
      intent: { name, kind, fields: { expiresIn: 3_600, canExpire: true } },
    }
  const credentials = deskCredentials(load.definitionId, load.provider, `desk_live_${name}`)
  const { config, ...fields } = credentials
  return {
    path: '/v1/integration_account',
    body: { ...credentials, integrationAccountName: name },
    intent: { name, kind, config, fields: { ...fields, deleted: null } },
  }
}
