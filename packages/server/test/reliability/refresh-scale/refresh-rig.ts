import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AccountId } from '../../../src/accounts/accounts/account.ts'
import type { ProviderCounts } from '../../../src/accounts/accounts/token-refresh/test/counting-provider.ts'
import { fillOAuthAccounts } from '../../../src/accounts/accounts/token-refresh/test/fill-oauth-accounts.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../../../src/accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { createMiniBundle } from '../../mini-bundle.ts'
import type { ProviderChange } from './provider-process.ts'
import type { RefreshNodeOptions } from './refresh-node.ts'

type HostCounts = ProviderCounts & { readonly host: string }

/** Accounts, their providers in a process of their own, and nodes that refresh them. */
export interface RefreshRig {
  readonly context: RefreshTestContext
  readonly hosts: readonly string[]
  startNode(options: RefreshNodeOptions): Promise<ChildProcess>
  /** Adds accounts that are due, distributed over these hosts. */
  fill(count: number, hosts: readonly string[], dueForMs: number): Promise<void>
  readCounts(): Promise<readonly HostCounts[]>
  change(host: string, change: ProviderChange['change']): Promise<void>
  /** Refreshes per second of these hosts during that time. */
  measure(seconds: number, hosts?: readonly string[]): Promise<number>
  close(): Promise<void>
}

const PROVIDERS = fileURLToPath(new URL('./provider-process.ts', import.meta.url))
const NODE = fileURLToPath(new URL('./refresh-node.ts', import.meta.url))
const BATCH = 10_000

export async function startRefreshRig(
  url: string | undefined,
  hostCount: number,
  latencyMs: number,
): Promise<RefreshRig> {
  // Without the flags of the test runner, which would end a process that has no tests.
  const start = (program: string, args: string[]) => fork(program, args, { execArgv: [] })
  const providers = start(PROVIDERS, [String(hostCount), String(latencyMs)])
  const [counts] = (await once(providers, 'message')) as [HostCounts[]]
  const hosts = counts.map(({ host }) => host)
  const context = await startRefreshTestContext({ url })
  const models = new Map<string, AccountId>()
  for (const host of hosts) {
    const code = createMiniBundle(createOAuthSpec({ url: `http://${host}` }))
    models.set(host, (await context.account({ code, row: { refresh_at: null } })).id)
  }
  const nodes: ChildProcess[] = []
  let grants = 0
  const ask = async (message: object): Promise<HostCounts[]> => {
    const reply = once(providers, 'message')
    providers.send(message)
    return (await reply)[0]
  }
  const rig: RefreshRig = {
    context,
    hosts,
    async startNode(options) {
      const node = start(NODE, [JSON.stringify(options)])
      nodes.push(node)
      await once(node, 'message')
      return node
    },
    async fill(count, onHosts, dueForMs) {
      const dueAt = Date.now() - dueForMs
      for (let filled = 0; filled < count; filled += BATCH)
        for (const [index, host] of onHosts.entries()) {
          const rest = Math.min(BATCH, count - filled)
          const share = Math.floor(rest / onHosts.length) + (index < rest % onHosts.length ? 1 : 0)
          const accounts = Array.from({ length: share }, () => ({
            grant: `g${++grants}`,
            refreshAt: Math.floor(dueAt + (dueForMs / 2) * Math.random()),
            tokenHost: host,
          }))
          if (share > 0)
            await fillOAuthAccounts(context.node(), models.get(host) as AccountId, accounts)
        }
    },
    readCounts: () => ask({}),
    change: async (host, change) => void (await ask({ host, change })),
    async measure(seconds, ofHosts = hosts) {
      const read = async () =>
        (await rig.readCounts())
          .filter(({ host }) => ofHosts.includes(host))
          .reduce((sum, one) => sum + one.refreshed, 0)
      const before = await read()
      const startedAt = performance.now()
      await sleep(seconds * 1_000)
      return ((await read()) - before) / ((performance.now() - startedAt) / 1_000)
    },
    async close() {
      for (const child of [...nodes, providers]) child.kill('SIGKILL')
      await context.close()
    },
  }
  return rig
}
