import { createHash } from 'node:crypto'
import {
  createEgressGateway,
  createRunner,
  EgressError,
  type EgressGateway,
  isListed,
  normalizeHost,
  parseAllowList,
  RunnerError,
  type RunnerOptions,
} from '@linchpin/runner'
import type { Command } from '@linchpin/runner/protocol'
import { type FakeProvider, ORIGINAL_URL_HEADER, startFakeProvider } from './fake-provider.ts'

const TEST_TENANT = { workspaceId: 'trial' }

/** One call of a bundle in the sandbox. */
export interface SandboxCall {
  readonly code: string
  readonly command: Command
  readonly config?: Readonly<Record<string, unknown>>
  /** `x-hosts` of the spec. */
  readonly hosts?: readonly string[] | undefined
}

/** The sandbox that Linchpin runs bundles in, with every host routed to one provider on the loopback. */
export interface TestSandbox {
  readonly provider: FakeProvider
  /** Requested hosts that are not declared, since the provider's responses were last set. */
  readonly blockedHosts: readonly string[]
  /** Returns the result of the command. @throws Error with the sandbox's message if it failed */
  run(call: SandboxCall): Promise<unknown>
  /** Sends a request of Linchpin itself during sign-in, through the real egress gateway, to the same provider. */
  request(url: string, init?: SandboxRequest): Promise<SandboxResponse>
  close(): Promise<void>
}

/** One request of Linchpin itself. Default: GET. */
export interface SandboxRequest {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface SandboxResponse {
  readonly status: number
  /** The target of a redirect. */
  readonly location: string | undefined
  readonly body: string
}

export interface TestSandboxOptions {
  /** Which bundles run outside the sandbox. Default: none. */
  readonly findDeclared?: unknown
  /** Called with each request, as it leaves the runner. */
  readonly onRequest?: (request: SentRequest) => void
  /** Called with what each call returns or throws. */
  readonly onEnd?: (call: SandboxCall, end: object) => void
}

/** A request. Like the options, it names no type of the runner, whose types need those of Node. */
interface SentRequest {
  readonly method?: string | undefined
  readonly url: string
  readonly headers?: object | undefined
  readonly body?: Uint8Array | undefined
}

/** Starts a sandbox. Nothing that runs in it can connect to anything but the loopback. */
export async function startTestSandbox({
  findDeclared,
  onRequest,
  onEnd,
}: TestSandboxOptions = {}): Promise<TestSandbox> {
  const provider = await startFakeProvider()
  const blockedHosts: string[] = []
  const egressGateway = createEgressGateway({ allow: parseAllowList(`127.0.0.1:${provider.port}`) })
  const providerGateway = redirectToProvider(provider.port, egressGateway, blockedHosts, onRequest)
  const runner = createRunner({
    egressGateway: providerGateway,
    ...(findDeclared === undefined
      ? { children: 1 }
      : { findDeclared: findDeclared as RunnerOptions['findDeclared'] }),
    // No one else waits for this runner, and the machine may be busy.
    maxQueuedMs: 120_000,
  })
  return {
    provider,
    blockedHosts,
    async run(call) {
      const { code, command, config, hosts } = call
      blockedHosts.length = 0
      const sha256 = createHash('sha256').update(code).digest('hex')
      const params = config === undefined ? {} : { config }
      const bundle = { sha256, load: async () => code }
      try {
        const result = await runner.run({ bundle, tenant: TEST_TENANT, command, params, hosts })
        onEnd?.(call, result)
        return result.value
      } catch (error) {
        if (error instanceof RunnerError) onEnd?.(call, error)
        if (error instanceof RunnerError) throw new Error(`${command}: ${error.message}`)
        throw error
      }
    },
    async request(url, { method = 'GET', headers = {}, body } = {}) {
      const egressRequest = {
        method,
        url,
        headers,
        ...(body !== undefined && { body: Buffer.from(body) }),
      }
      const response = await providerGateway.request(egressRequest, SIGN_IN_POLICY)
      const at = response.rawHeaders.findIndex(
        (name, index) => index % 2 === 0 && name.toLowerCase() === 'location',
      )
      const location = at === -1 ? undefined : response.rawHeaders[at + 1]
      return { status: response.status, location, body: Buffer.from(response.body).toString() }
    },
    async close() {
      await runner.close()
      await egressGateway.close()
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

/**
 * The real egress gateway, after the hosts of the spec were validated: here, their addresses are not the provider's.
 */
function redirectToProvider(
  port: number,
  egressGateway: EgressGateway,
  blockedHosts: string[],
  onRequest: TestSandboxOptions['onRequest'],
): EgressGateway {
  return {
    ...egressGateway,
    async request(request, { hosts, ...policy }) {
      const { url, headers, ...otherParts } = request
      onRequest?.(request)
      const originalUrl = new URL(url)
      if (hosts !== undefined && !isListed(normalizeHost(originalUrl.hostname), hosts)) {
        blockedHosts.push(originalUrl.hostname)
        throw new EgressError('refused', `${originalUrl.hostname} is not on the host list`)
      }
      return egressGateway.request(
        {
          ...otherParts,
          url: `http://127.0.0.1:${port}${originalUrl.pathname}${originalUrl.search}`,
          headers: { ...headers, [ORIGINAL_URL_HEADER]: originalUrl.href },
        },
        policy,
      )
    },
  }
}
