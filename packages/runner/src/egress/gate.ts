import type { AllowEntry } from './allow-list.ts'
import { isBodiless, readBody } from './body.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { connectionFailure, GateError } from './gate-error.ts'
import type { Gate, GatePolicy, GateRequest, GateResponse } from './gate-types.ts'
import { type JudgeRules, judge } from './judge.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { ownAddresses } from './own-addresses.ts'
import { readProxy } from './proxy.ts'
import { redirected } from './redirects.ts'
import { type Resolve, systemResolve } from './resolve.ts'
import { send } from './send.ts'
import { openStream } from './stream.ts'

/** What the operator decides about outgoing requests. */
export interface GateOptions {
  /** LINCHPIN_EGRESS_ALLOW, read by `parseAllowList`. */
  readonly allow: readonly AllowEntry[]
  /** LINCHPIN_EGRESS_PROXY: every request goes through it by CONNECT. */
  readonly proxy?: URL | undefined
  /** LINCHPIN_EGRESS_PROXY_RESOLVES: names are resolved and judged by the proxy. Needs `proxy`. */
  readonly proxyResolves?: boolean | undefined
  /** Ports that this service listens on now. They are never reachable on this machine, allowed or not. */
  readonly ownPorts?: (() => readonly number[]) | undefined
  /** Default: the system's resolver. */
  readonly resolve?: Resolve | undefined
  /** Receives one line per request that got no answer. It names hosts and addresses, never paths or headers. */
  readonly log?: ((detail: string) => void) | undefined
  /** Milliseconds of a clock. Default: Date.now. */
  readonly now?: (() => number) | undefined
}

/**
 * The only way out of Linchpin (`design.md` section 6.2). Every request and every redirect is judged, and exactly the
 * judged address is dialled. Environment variables about proxies are ignored.
 *
 * @throws TypeError when the proxy is not an http(s) URL
 */
export function createGate(options: GateOptions): Gate {
  const lanes = createLanes(options.proxy && readProxy(options.proxy))
  const rules = rulesOf(options)
  const running = new Set<Deadline>()
  let closed = false
  const begin = (policy: Pick<GatePolicy, 'timeoutMs' | 'signal'>): Deadline => {
    if (closed) throw new GateError('aborted', 'the gate is closed')
    const deadline = startDeadline(policy.timeoutMs, policy.signal)
    running.add(deadline)
    return deadline
  }
  const finish = (deadline: Deadline): void => {
    running.delete(deadline)
    deadline.end()
  }
  const noted = ({ purpose }: Pick<GatePolicy, 'purpose'>, cause: unknown): GateError => {
    const error = connectionFailure(cause, 'exchange')
    options.log?.(`${purpose} request ${error.code}: ${error.detail}`)
    return error
  }
  return {
    async request(request, policy) {
      const deadline = begin(policy)
      try {
        return await exchange({ lanes, rules, policy, signal: deadline.signal }, request)
      } catch (cause) {
        throw noted(policy, cause)
      } finally {
        finish(deadline)
      }
    },
    async stream(request, policy) {
      const deadline = begin(policy)
      const ended = (cause: unknown): void => {
        finish(deadline)
        if (cause) noted(policy, cause)
      }
      try {
        return await openStream({ lanes, rules, policy, deadline, ended }, request)
      } catch (cause) {
        finish(deadline)
        throw noted(policy, cause)
      }
    },
    async close() {
      closed = true
      for (const deadline of running) deadline.stop(new GateError('aborted', 'the gate closed'))
      await lanes.close()
    },
  }
}

function rulesOf(options: GateOptions): JudgeRules {
  return {
    allow: options.allow,
    ownPorts: options.ownPorts ?? (() => []),
    ownAddresses: ownAddresses(options.now ?? Date.now),
    resolve: options.resolve ?? systemResolve,
    proxyResolves: options.proxy !== undefined && options.proxyResolves === true,
  }
}

interface Exchange {
  readonly lanes: Lanes
  readonly rules: JudgeRules
  readonly policy: GatePolicy
  readonly signal: AbortSignal
}

/** One request and the redirects it may follow. */
async function exchange(context: Exchange, first: GateRequest): Promise<GateResponse> {
  const { lanes, rules, policy, signal } = context
  const { purpose, hosts, decompress } = policy
  let request = first
  for (let followed = 0; ; followed += 1) {
    const target = await judge(rules, { url: request.url, purpose, hosts, signal })
    const answer = await send(lanes, target, request, { purpose, decompress, signal })
    const next = policy.maxRedirects > 0 && redirected(request, target.url, answer)
    if (!next) {
      const body = await readBody(answer.body, answer.rawHeaders, {
        maxBytes: policy.maxResponseBytes,
        decompress,
        bodiless: isBodiless(request.method, answer.status),
      })
      const { status, statusText, rawHeaders } = answer
      return { status, statusText, rawHeaders, body, url: target.url.href }
    }
    answer.body.on('error', () => {}).destroy()
    if (followed >= policy.maxRedirects) {
      throw new GateError('too_many_redirects', `${target.host} redirects once more`)
    }
    request = next
  }
}
