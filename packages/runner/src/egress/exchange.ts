import { isBodiless, readBody } from './body.ts'
import { type CircuitContext, type Progress, throughCircuit } from './circuit/through-circuit.ts'
import { GateError } from './gate-error.ts'
import type { GatePolicy, GateRequest, GateResponse } from './gate-types.ts'
import { type JudgeRules, judge } from './judge.ts'
import type { Lanes } from './lanes.ts'
import { redirected } from './redirects.ts'
import { send } from './send.ts'

/** What one exchange runs with. */
export interface Exchange {
  readonly lanes: Lanes
  readonly rules: JudgeRules
  readonly circuits: CircuitContext
  readonly policy: GatePolicy
  readonly signal: AbortSignal
}

/** One request and the redirects it may follow, each under the circuit of its host. @throws GateError */
export async function exchange(context: Exchange, first: GateRequest): Promise<GateResponse> {
  const { circuits, policy } = context
  let request = first
  for (let followed = 0; ; followed += 1) {
    const hop = await throughCircuit(circuits, request, policy, (progress) =>
      sendHop(context, request, progress),
    )
    if ('response' in hop) return hop.response
    if (followed >= policy.maxRedirects) {
      throw new GateError('too_many_redirects', `${hop.host} redirects once more`)
    }
    request = hop.next
  }
}

type Hop =
  | { readonly response: GateResponse }
  | { readonly next: GateRequest; readonly host: string }

async function sendHop(
  { lanes, rules, policy, signal }: Exchange,
  request: GateRequest,
  progress: Progress,
): Promise<Hop> {
  const { purpose, hosts, decompress, tenant } = policy
  const target = await judge(rules, { url: request.url, purpose, hosts, tenant, signal })
  progress.sent()
  const answer = await send(lanes, target, request, { purpose, decompress, tenant, signal })
  progress.began()
  const next = policy.maxRedirects > 0 && redirected(request, target.url, answer)
  if (next) {
    answer.body.on('error', () => {}).destroy()
    return { next, host: target.host }
  }
  const body = await readBody(answer.body, answer.rawHeaders, {
    maxBytes: policy.maxResponseBytes,
    decompress,
    bodiless: isBodiless(request.method, answer.status),
  })
  const { status, statusText, rawHeaders } = answer
  return { response: { status, statusText, rawHeaders, body, url: target.url.href } }
}
