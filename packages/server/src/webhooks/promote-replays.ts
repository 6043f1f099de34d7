import type { Log } from '../http/log.ts'
import { type Rounds, startRounds } from '../rounds.ts'
import type { ReplayPromotionStore } from './replay-promotion-store.ts'

/** Makes queued deliveries pending, a few at a time, behind live events. Several nodes may do so on one database. */
export function startReplayPromotion(
  replays: ReplayPromotionStore,
  log: Pick<Log, 'warn'>,
): Rounds {
  return startRounds({
    async round(signal) {
      const endpointIds = await replays.listReady(MAX_ENDPOINTS)
      for (const endpointId of endpointIds) if (!signal.aborted) await replays.promote(endpointId)
      return endpointIds.length > 0
    },
    onError: (error) => log.warn({ err: error }, 'replays of webhooks wait for the database'),
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
  })
}

const POLL_MS = 500
const PAUSE_MS = 100
const MAX_ENDPOINTS = 100
