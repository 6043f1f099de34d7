import { createHash } from 'node:crypto'
import {
  createGate,
  createRunner,
  type Gate,
  GateError,
  isListed,
  parseAllowList,
  plainHost,
  RunnerError,
} from '@linchpin/runner'
import type { Command } from '@linchpin/runner/protocol'
import { MEANT_FOR, type Provider, startProvider } from './provider.ts'

const TENANT = { workspaceId: 'trial' }

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
  /** Sends what Linchpin itself sends during sign-in, through the real gate, to the same provider. */
  request(url: string, init?: PlainRequest): Promise<PlainAnswer>
  close(): Promise<void>
}

/** One request of Linchpin itself. Default: GET. */
export interface PlainRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface PlainAnswer {
  readonly status: number
  /** Where a redirect leads. */
  readonly location: string | undefined
  readonly body: string
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
        return (await runner.run({ bundle, tenant: TENANT, command, params, hosts })).value
      } catch (error) {
        if (error instanceof RunnerError) throw new Error(`${command}: ${error.message}`)
        throw error
      }
    },
    async request(url, { method = 'GET', headers = {}, body } = {}) {
      const sent = { method, url, headers, ...(body !== undefined && { body: Buffer.from(body) }) }
      const answer = await gate.request(sent, SIGN_IN_POLICY)
      const at = answer.rawHeaders.findIndex(
        (name, index) => index % 2 === 0 && name.toLowerCase() === 'location',
      )
      const location = at === -1 ? undefined : answer.rawHeaders[at + 1]
      return { status: answer.status, location, body: Buffer.from(answer.body).toString() }
    },
    async close() {
      await runner.close()
      await inner.close()
      provider.close()
    },
  }
}

const SIGN_IN_POLICY = {
  purpose: 'oauth',
  timeoutMs: 10_000,
  maxResponseBytes: 64 * 1024,
  maxRedirects: 0,
  decompress: true,
} as const

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
