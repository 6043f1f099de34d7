import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Tenant } from '../egress/egress.ts'
import { DEFAULT_LIMITS, type Limits } from '../limits.ts'
import {
  type Bundle,
  type BundleCall,
  type BundleResult,
  type DeclaredIntegration,
  type PatternResult,
  type PatternTest,
  type Runner,
  RunnerError,
  type RunnerOptions,
} from '../runner.ts'
import { Call } from './call.ts'
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
      return parsePatternResults(tests, (await run(createPatternCall(tests, tenant))).value)
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

const PATTERN_LIMITS = { cpuMs: 500, wallMs: 5_000, requests: 0 }

function createPatternCall(tests: readonly PatternTest[], tenant: Tenant): BundleCall {
  const params = { tests }
  return { bundle: patternBundle, tenant, command: 'RUN', params, limits: PATTERN_LIMITS }
}

function parsePatternResults(tests: readonly PatternTest[], value: unknown): PatternResult[] {
  if (Array.isArray(value) && value.length === tests.length && value.every(isPatternResult))
    return value
  throw new RunnerError('integration_bad_output', 'The patterns could not be validated.')
}

function isPatternResult(value: unknown): value is PatternResult {
  return value === 'match' || value === 'no_match' || value === 'invalid'
}

/** A built-in bundle that validates patterns. They run in the sandbox because some patterns never end. */
const patternBundle: Bundle = Object.freeze({
  sha256: createHash('sha256').update(createCode()).digest('hex'),
  load: async () => createCode(),
})

function createCode(): string {
  return `
    const compile = (pattern) => {
      try { return new RegExp(pattern, 'u') } catch {}
      try { return new RegExp(pattern) } catch {}
    }
    const evaluate = ({ pattern, value }) => {
      const regex = compile(pattern)
      if (regex === undefined) return 'invalid'
      return value === undefined || regex.test(value) ? 'match' : 'no_match'
    }
    module.exports = async (command, { tests }) => tests.map(evaluate)`
}
