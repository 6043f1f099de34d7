import { startDeadline } from '../deadline.ts'
import { type JudgeRules, judge } from '../judge.ts'
import type { Lanes } from '../lanes.ts'
import { send } from '../send.ts'
import type { CircuitRequest } from './circuit-breaker.ts'
import { missingOf } from './through-circuit.ts'

/**
 * Asks a host on the node's own behalf, without credentials, whether it answers at all. Any answer and any failure but
 * silence counts as yes: a workspace can make requests time out at a host that works, by asking for what takes long.
 */
export async function askHost(
  { lanes, rules }: { readonly lanes: Lanes; readonly rules: JudgeRules },
  { origin, purpose }: Pick<CircuitRequest, 'origin' | 'purpose'>,
): Promise<boolean> {
  const deadline = startDeadline(ASK_MS, undefined)
  const { signal } = deadline
  const url = `${origin}/`
  try {
    const target = await judge(rules, { url, purpose, signal })
    const options = { purpose: 'oauth', decompress: false, signal } as const
    const answer = await send(lanes, target, { method: 'HEAD', url }, options)
    answer.body.on('error', () => {}).destroy()
    return true
  } catch (error) {
    return missingOf(error) === undefined
  } finally {
    deadline.end()
  }
}

const ASK_MS = 3_000
