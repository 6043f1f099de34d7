import { createHash } from 'node:crypto'
import {
  type Command,
  createGate,
  createRunner,
  type Gate,
  GateError,
  isListed,
  parseAllowList,
  plainHost,
  RunnerError,
} from '@linchpin/runner'
import { MEANT_FOR, type Provider, startProvider } from './provider.ts'

/** One call of a bundle in the jail. */
export interface JailCall {
  readonly code: string
  readonly command: Command
  readonly config?: Readonly<Record<string, unknown>>
  /** `x-hosts` of the spec. */
  readonly hosts?: readonly string[] | undefined
}

/** The jail that Linchpin runs bundles in, with every host led to one provider on the loopback. */
export interface Jail {
  readonly provider: Provider
  /** Hosts that were asked for and are not declared, since the provider was last told what to answer. */
  readonly refused: readonly string[]
  /** What the command answered. @throws Error with the jail's words when it did not */
  run(call: JailCall): Promise<unknown>
  close(): Promise<void>
}

/** Starts a jail. Nothing that runs in it reaches anything but the loopback. */
export async function startJail(): Promise<Jail> {
  const provider = await startProvider()
  const refused: string[] = []
  const inner = createGate({ allow: parseAllowList(`127.0.0.1:${provider.port}`) })
  const gate = leadingTo(provider.port, inner, refused)
  const runner = createRunner({ gate, children: 1 })
  return {
    provider,
    refused,
    async run({ code, command, config, hosts }) {
      refused.length = 0
      const sha256 = createHash('sha256').update(code).digest('hex')
      const params = config === undefined ? {} : { config }
      const bundle = { sha256, load: async () => code }
      try {
        return (await runner.run({ bundle, command, params, hosts })).value
      } catch (error) {
        if (error instanceof RunnerError) throw new Error(`${command}: ${error.message}`)
        throw error
      }
    },
    async close() {
      await runner.close()
      await inner.close()
      provider.close()
    },
  }
}

/** The real gate, after the hosts of the spec were judged: its addresses are not the provider's here. */
function leadingTo(port: number, inner: Gate, refused: string[]): Gate {
  return {
    ...inner,
    async request({ url, headers, ...rest }, { hosts, ...policy }) {
      const meant = new URL(url)
      if (hosts !== undefined && !isListed(plainHost(meant.hostname), hosts)) {
        refused.push(meant.hostname)
        throw new GateError('refused', `${meant.hostname} is not a listed host`)
      }
      return inner.request(
        {
          ...rest,
          url: `http://127.0.0.1:${port}${meant.pathname}${meant.search}`,
          headers: { ...headers, [MEANT_FOR]: meant.href },
        },
        policy,
      )
    },
  }
}
