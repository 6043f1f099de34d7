import { createSecretKey } from 'node:crypto'
import { after } from 'node:test'
import {
  createEgressGateway,
  createRunner,
  type EgressGateway,
  type EgressGatewayOptions,
  parseAllowList,
  type Runner,
  type RunnerOptions,
} from '@linchpin/runner'
import { BUSY_MACHINE_OPTIONS } from '../../runner/test/busy-machine-options.ts'
import { createAcmeSandbox } from '../src/integrations/acme-sandbox/acme-sandbox.ts'

/** How far the clock of the provider without a network is ahead. */
export const sandboxClock = { aheadMs: 0 }

/** The provider without a network, which every service of the tests has. */
export const TEST_SANDBOX = createAcmeSandbox(
  createSecretKey(Buffer.alloc(32, 9)),
  () => Date.now() + sandboxClock.aheadMs,
)

/** An egress gateway and a runner that uses it. */
export interface RunnerPair {
  readonly egressGateway: EgressGateway
  readonly runner: Runner
}

export interface RunnerPairOptions {
  /** LINCHPIN_EGRESS_ALLOW. Default: loopback. */
  readonly allow?: string | undefined
  /** LINCHPIN_EMULATOR. Default: none. */
  readonly emulator?: URL | undefined
  /** Which integrations run outside the sandbox. Default: none. */
  readonly findDeclared?: RunnerOptions['findDeclared'] | undefined
  /** How names are resolved. Default: as in production. */
  readonly resolve?: EgressGatewayOptions['resolve']
  /** What measures requests. Default: nothing. */
  readonly observeEgress?: ((gateway: EgressGateway) => EgressGateway) | undefined
}

/** Starting a runner child takes longer than most tests: the test files of a process share one. */
let sharedPair: RunnerPair | undefined
after(async () => sharedPair && closeRunner(sharedPair), { timeout: 120_000 })

/** The one runner of this process. Its limits and circuits are per workspace, and each test context has its own. */
export function sharedRunner(): RunnerPair {
  sharedPair ??= startRunner()
  return sharedPair
}

/** Starts a runner for tests that count its calls or need another gateway. */
export function startRunner({
  allow = '127.0.0.0/8',
  resolve,
  emulator,
  findDeclared,
  observeEgress = (gateway) => gateway,
}: RunnerPairOptions = {}): RunnerPair {
  const gateway = createEgressGateway({
    allow: parseAllowList(allow),
    resolve,
    emulator,
    localHosts: TEST_SANDBOX.localHosts,
  })
  const egressGateway = observeEgress(gateway)
  const runner = createRunner({ egressGateway, findDeclared, children: 1, ...BUSY_MACHINE_OPTIONS })
  return { egressGateway, runner }
}

/** Cancels the calls and requests in progress. */
export async function closeRunner({ runner, egressGateway }: RunnerPair): Promise<void> {
  await Promise.all([runner.close(), egressGateway.close()])
}
