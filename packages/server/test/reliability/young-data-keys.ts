/**
 * Loaded into programs with `--import`: a node notices after a second that another process has replaced a data key, instead of
 * a minute, and `keys rekey` waits two seconds, so that a proof need not wait for minutes.
 */

import { registerHooks } from 'node:module'

const CHANGES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  '/vault/data-keys.ts': ['DATA_KEY_MAX_AGE_MS = 60_000', 'DATA_KEY_MAX_AGE_MS = 1_000'],
  '/vault/rekey.ts': ['DATA_KEY_MAX_AGE_MS + 60_000', 'DATA_KEY_MAX_AGE_MS + 1_000'],
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const change = Object.entries(CHANGES).find(([file]) => url.endsWith(file))?.[1]
    if (change === undefined) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    if (!source.includes(change[0])) throw new Error(`${url} has no ${change[0]}`)
    return { ...loaded, source: source.replace(...change) }
  },
})
