import type { Log } from '../http/log.ts'
import type { ReplayPromotionStore } from './replay-promotion-store.ts'

/** Background work that sends replays behind live events. */
export interface ReplayPromotion {
  /** Starts no new work; resolves when the work in progress has completed. */
  stop(): Promise<void>
}

/** Makes queued deliveries pending, a few at a time. Several nodes may do so on one database. */
export function startReplayPromotion(
  replays: ReplayPromotionStore,
  log: Pick<Log, 'warn'>,
): ReplayPromotion {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const run = async () => {
    const endpointIds = await replays.listReady(MAX_ENDPOINTS)
    for (const endpointId of endpointIds) if (!isStopped) await replays.promote(endpointId)
    return endpointIds.length > 0
  }
  const schedule = (delayMs: number) => {
    if (isStopped) return
    timer = setTimeout(() => {
      running = run()
        .catch((error) => {
          log.warn({ err: error }, 'replays of webhooks wait for the database')
          return false
        })
        .then((wasBusy) => schedule(wasBusy ? BUSY_DELAY_MS : IDLE_DELAY_MS))
    }, delayMs).unref()
  }
  schedule(IDLE_DELAY_MS)
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

const BUSY_DELAY_MS = 100
const IDLE_DELAY_MS = 500
const MAX_ENDPOINTS = 100
