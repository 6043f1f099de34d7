import { availableParallelism } from 'node:os'
import { DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type {
  BundleCall,
  BundleResult,
  DeclaredIntegration,
  Runner,
  RunnerOptions,
} from '../runner.ts'
import { Call } from './call.ts'
import { createPatternCall, parsePatternResults, testShortPatterns } from './patterns.ts'
import { Pool } from './pool.ts'
import { listSandboxFiles } from './sandbox-files.ts'

/**
 * Creates the sandbox: a pool of runner children in which each call starts from the same clean
 * state.
 *
 * Returns at once; the children start in the background and the first calls wait for them. Integrations that are data need no
 * child: they run in this process, with the same limits.
 */
export function createRunner(options: RunnerOptions): Runner {
  const size = options.children ?? Math.min(4, Math.max(2, availableParallelism()))
  const pool = new Pool(size, options, listSandboxFiles())
  let lastId = 0
  const start = (call: BundleCall, declared: DeclaredIntegration | undefined) => {
    const queuedCall = new Call(++lastId, call, mergeLimits(options.limits, call.limits))
    if (queuedCall.params.length <= MAX_DECLARED_PARAMS) queuedCall.declared = declared
    pool.run(queuedCall)
    return queuedCall.result
  }
  const run = (call: BundleCall): Promise<BundleResult> => {
    const declared = options.findDeclared?.(call.bundle)
    return declared instanceof Promise
      ? declared.then((found) => start(call, found))
      : start(call, declared)
  }
  return {
    run: async (call) => run(call),
    async testPatterns(tests, tenant) {
      const results = testShortPatterns(tests)
      if (results !== undefined) return results
      const { value } = await start(createPatternCall(tests, tenant), undefined)
      return parsePatternResults(tests, value)
    },
    ready: () => pool.ready(),
    stats: () => pool.stats(),
    close: () => pool.close(),
  }
}

/** In characters. Templates repeat the values, so long ones would take the time of others in this process. */
const MAX_DECLARED_PARAMS = 64 * 1024

function mergeLimits(...overrides: (Partial<Limits> | undefined)[]): Limits {
  return Object.assign({ ...DEFAULT_LIMITS }, ...overrides)
}
