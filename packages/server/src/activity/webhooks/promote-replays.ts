import type { Log } from '../../platform/http/log.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { ReplayStore } from './replay-store.ts'

/** Makes queued deliveries pending, a few at a time, behind live events. Several nodes may do so on one database. */
export function startReplayPromotion({
  replays,
  log,
}: {
  readonly replays: ReplayStore
  readonly log: Pick<Log, 'warn'>
}): Rounds {
  return startRounds({
    async round(signal) {
      const ready = await replays.listReady(MAX_ENDPOINTS)
      for (const endpointId of ready) if (!signal.aborted) await replays.promote(endpointId)
      return ready.length > 0
    },
    onError: (error) => log.warn({ err: error }, 'replays of webhooks wait for the database'),
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
  })
}

const POLL_MS = 500
const PAUSE_MS = 100
const MAX_ENDPOINTS = 100
