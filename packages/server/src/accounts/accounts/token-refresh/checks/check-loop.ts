import { setTimeout as sleep } from 'node:timers/promises'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import { ApiError } from '../../../../platform/errors.ts'
import { runJob } from '../../../../platform/http/log.ts'
import { type ObserveJob, type Rounds, startRounds } from '../../../../platform/rounds.ts'
import { setBounded } from '../../../../platform/set-bounded.ts'
import { getCheckIntervalMs, getNextCheckTime } from '../../health/check-schedule.ts'
import {
  type DefinitionScope,
  PROBE_NOW,
  reviewSuspects,
} from '../../health/definition-breaker-store.ts'
import { type CheckCredentialsDeps, checkCredentials } from './check-credentials.ts'
import type { CheckTime, DueAccount } from './check-store.ts'
import { isIdentityDue, refreshIdentity } from './refresh-identity.ts'

/** Checks accounts whose credentials no use has proven for the interval. Nodes share the work. */
export interface CheckLoop {
  /**
   * Starts the checks that may be sent now. Returns after how many milliseconds it should be called again; undefined if nothing
   * is due.
   */
  start(): Promise<number | undefined>
  /** Resolves when the checks in progress have ended. */
  finish(): Promise<void>
}

/** Checks at a time on one node. */
const CONCURRENCY = 4
/** The shortest time between two checks of a definition, on all nodes. */
const TURN_MS = 1_000
/** How often the loop looks for what is due, and at suspect definitions. */
const ROUND_MS = 20_000
/** Definitions and workspaces of one round, and accounts of one read. */
const MAX_SCOPES = 500
const BATCH_SIZE = 100
const MAX_BATCHES = 20
/** An account that a node has claimed, and not finished, is due again after this time. */
const CLAIM_MS = 5 * 60_000

export function createCheckLoop(deps: CheckCredentialsDeps): CheckLoop {
  return new Loop(deps)
}

/** The workspaces in which accounts of a definition are due. */
interface Lane {
  readonly scopes: DefinitionScope[]
  /** When the next check may be sent, as far as this node knows. */
  nextAt: number
}

class Loop implements CheckLoop {
  readonly #deps: CheckCredentialsDeps
  readonly #running = new Set<Promise<void>>()
  readonly #lanes = new Map<DefinitionId, Lane>()
  /** When each definition was last checked for each workspace: the one that has waited longest is next. */
  readonly #served = new Map<string, number>()
  #roundAt = Number.NEGATIVE_INFINITY
  #after: DefinitionScope | undefined

  constructor(deps: CheckCredentialsDeps) {
    this.#deps = deps
  }

  async start(): Promise<number | undefined> {
    const now = this.#deps.now()
    if (Math.abs(now - this.#roundAt) >= ROUND_MS) await this.#startRound(now)
    for (const [definitionId, lane] of [...this.#lanes]) {
      if (this.#running.size >= CONCURRENCY) break
      if (lane.nextAt > now && lane.nextAt <= now + TURN_MS) continue
      await this.#takeTurn(definitionId, lane, now)
      // Definitions take turns, too.
      if (this.#lanes.delete(definitionId) && lane.scopes.length > 0)
        this.#lanes.set(definitionId, lane)
    }
    return this.#lanes.size === 0 ? undefined : TURN_MS / 4
  }

  async finish(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #startRound(now: number): Promise<void> {
    this.#roundAt = now
    const { database, checkStore } = this.#deps
    await reviewSuspects(database, now)
    await this.#schedule(now)
    const { due, next } = await checkStore.listScopes(this.#after, MAX_SCOPES, now)
    this.#after = next
    this.#lanes.clear()
    for (const scope of due) {
      const lane = this.#lanes.get(scope.definitionId) ?? { scopes: [], nextAt: now }
      lane.scopes.push(scope)
      this.#lanes.set(scope.definitionId, lane)
    }
    for (const { scopes } of this.#lanes.values())
      scopes.sort((one, other) => this.#getServedAt(one) - this.#getServedAt(other))
  }

  /** Decides when to look at accounts that are new, or were just accepted. */
  async #schedule(now: number): Promise<void> {
    const { checkStore } = this.#deps
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const accounts = await checkStore.listUnscheduled(BATCH_SIZE)
      await this.#postpone(accounts, now)
      if (accounts.length < BATCH_SIZE) return
    }
  }

  /** Looks at each account again after the interval: from when the provider last accepted its credentials, if they are checked. */
  async #postpone(accounts: readonly DueAccount[], now: number): Promise<void> {
    const times: CheckTime[] = []
    for (const account of accounts) {
      if (account.status === undefined) continue
      const { intervalMs } = await this.#readDefinition(account)
      const isChecked = account.status === 'active' && intervalMs > 0
      const nextAt = isChecked
        ? getNextCheckTime(account.lastOkAt ?? now, intervalMs)
        : getNextCheckTime(now, 0)
      const isReleased = account.isHeld && account.status === 'active'
      times.push({ ...account, nextAt: Math.max(nextAt, now + TURN_MS), isReleased })
    }
    await this.#deps.checkStore.setTimes(times)
    const deleted = accounts.filter(({ status }) => status === undefined)
    await this.#deps.checkStore.deleteHealth(deleted.map(({ accountId }) => accountId))
  }

  async #readDefinition({ definitionId, workspaceId }: DefinitionScope) {
    const { refreshStore, checkInterval } = this.#deps
    const found = await refreshStore.findDefinition({ definitionId, workspaceId })
    const intervalMs =
      found === undefined ? 0 : getCheckIntervalMs(found.definition.spec, checkInterval)
    return { intervalMs, bundleSha256: found?.definition.bundleSha256 ?? '' }
  }

  /** Checks an account of the workspace that has waited longest, if no other node has checked one of the definition just now. */
  async #takeTurn(definitionId: DefinitionId, lane: Lane, now: number): Promise<void> {
    const { checkStore } = this.#deps
    lane.nextAt = now + TURN_MS
    const [scope] = lane.scopes
    if (scope === undefined || !(await checkStore.takeTurn(definitionId, now, TURN_MS))) return
    lane.scopes.shift()
    const claim = await this.#claimNext(scope, now)
    if (claim === undefined) return
    setBounded(this.#served, toKey(scope), now, MAX_SERVED)
    lane.scopes.push(scope)
    this.#run(claim)
  }

  #getServedAt(scope: DefinitionScope): number {
    return this.#served.get(toKey(scope)) ?? Number.NEGATIVE_INFINITY
  }

  /** Claims the account that is due longest, and postpones those before it of which there is nothing to find out. */
  async #claimNext(scope: DefinitionScope, now: number): Promise<Claim | undefined> {
    const { checkStore } = this.#deps
    const definition = await this.#readDefinition(scope)
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const accounts = await checkStore.listDue(scope, BATCH_SIZE, now)
      const idle = accounts.filter((each) => !needsRequest(each, definition, now))
      await this.#postpone(idle, now)
      for (const account of accounts) {
        if (idle.includes(account)) continue
        const checkAt = now + CLAIM_MS
        const claimed = await checkStore.setTimes([{ ...account, nextAt: checkAt }])
        const isCheck = needsCheck(account, definition.intervalMs, now)
        if (claimed.length > 0) return { account: { ...account, checkAt }, isCheck }
      }
      if (accounts.length < BATCH_SIZE) return undefined
    }
    return undefined
  }

  #run(claim: Claim): void {
    const running = this.#check(claim)
      .catch((error) => {
        // What the provider or the integration could not answer is stored with the account.
        if (error instanceof ApiError) return
        const { accountId } = claim.account
        this.#deps.log.info({ err: error, accountId }, 'credentials could not be checked')
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #check({ account, isCheck }: Claim): Promise<void> {
    const found = await this.#deps.refreshStore.find(account.accountId)
    if (found === undefined) return
    if (isCheck) return void (await checkCredentials(this.#deps, found.row))
    await this.#postpone([account], this.#deps.now())
    await refreshIdentity(this.#deps, found.row)
  }
}

/** An account that this node checks, or whose user it asks for. */
interface Claim {
  readonly account: DueAccount
  readonly isCheck: boolean
}

const MAX_SERVED = 10_000

const toKey = ({ definitionId, workspaceId }: DefinitionScope) => `${definitionId} ${workspaceId}`

/** Whether nothing has proven the credentials of a due account for the interval, or their rejection has to be decided. */
function needsCheck(account: DueAccount, intervalMs: number, now: number): boolean {
  const { checkAt, lastOkAt, rejections, rejectedAt, isHeld, status } = account
  if (isHeld && status === 'needs_reauth') return true
  if (status !== 'active') return false
  if (checkAt === PROBE_NOW || rejections > 0 || rejectedAt !== null) return true
  if (intervalMs === 0) return false
  return lastOkAt === null || lastOkAt + 0.75 * intervalMs <= now
}

/** Whether a due account needs a check, or the name of its user. */
function needsRequest(
  account: DueAccount,
  { intervalMs, bundleSha256 }: { readonly intervalMs: number; readonly bundleSha256: string },
  now: number,
): boolean {
  if (needsCheck(account, intervalMs, now)) return true
  return (
    account.status === 'active' && intervalMs > 0 && isIdentityDue(account, { bundleSha256 }, now)
  )
}

export interface CheckRoundsOptions {
  /** Measures the rounds. */
  readonly observeJob?: ObserveJob
}

/** Checks accounts until it is stopped; checks in progress end first. */
export function startCheckRounds(
  deps: CheckCredentialsDeps,
  { observeJob = (_name, run) => run }: CheckRoundsOptions = {},
): Rounds {
  const loop = createCheckLoop(deps)
  const check = observeJob('account_checks', async (signal: AbortSignal) => {
    const endAt = performance.now() + MAX_ROUND_MS
    while (!signal.aborted && performance.now() < endAt) {
      const waitMs = await loop.start()
      if (waitMs === undefined) return
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })
  const rounds = startRounds({
    round: (signal) => runJob('account_checks', () => check(signal).then(() => false)),
    onError: (error) => deps.log.warn({ err: error }, 'background work failed'),
    pollMs: ROUND_MS,
    isJittered: true,
  })
  return {
    async stop() {
      await rounds.stop()
      await loop.finish()
    },
  }
}

/** The end of a round is what tells that it works. */
const MAX_ROUND_MS = 20 * 60_000
