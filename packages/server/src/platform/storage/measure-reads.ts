import { createListeners } from './create-listeners.ts'
import type { ReadKind } from './database.ts'

/** Tells listeners how long reads take. */
export function createReadMeasurement() {
  const listeners = createListeners<[kind: ReadKind, seconds: number]>()
  return {
    onRead: listeners.add,
    /** Whether it succeeds or fails. */
    async measure<T>(kind: ReadKind, read: () => Promise<T>): Promise<T> {
      const startedAt = performance.now()
      try {
        return await read()
      } finally {
        listeners.call(kind, (performance.now() - startedAt) / 1_000)
      }
    },
  }
}

export type ReadMeasurement = ReturnType<typeof createReadMeasurement>
