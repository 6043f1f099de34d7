import { createHash } from 'node:crypto'
import type { Gate, Tenant } from '@linchpin/runner'
import { imageType } from './image-type.ts'

/** A workspace's logo, as we serve it. */
export interface Logo {
  readonly bytes: Uint8Array
  readonly type: string
  /** Names these bytes. */
  readonly hash: string
}

export interface LogoCacheDeps {
  readonly gate: Gate
  readonly now: () => number
}

const MAX_BYTES = 200_000
const KEPT = 200
const UNDER_WAY = 4
const FRESH_MS = 60 * 60_000
const RETRY_MS = 10 * 60_000

interface Entry {
  readonly logo: Logo | undefined
  readonly until: number
}

/**
 * Logos that this node has fetched. Nobody waits for one: the first page goes without, and browsers never ask anybody but
 * us. A logo is fetched again after an hour, one that failed after ten minutes.
 */
export function createLogoCache({ gate, now }: LogoCacheDeps) {
  const kept = new Map<string, Entry>()
  const underWay = new Set<string>()

  return {
    /** What there is of it now. Fetches it, or fetches it again, behind the scenes. */
    find(url: string, tenant: Tenant): Logo | undefined {
      const entry = kept.get(url)
      if ((entry === undefined || entry.until <= now()) && underWay.size < UNDER_WAY)
        refresh(url, tenant)
      return entry?.logo
    },
  }

  function refresh(url: string, tenant: Tenant): void {
    if (underWay.has(url)) return
    underWay.add(url)
    void fetchLogo(gate, url, tenant).then((logo) => {
      const before = kept.get(url)?.logo
      kept.delete(url)
      const oldest = kept.size < KEPT ? undefined : kept.keys().next().value
      if (oldest !== undefined) kept.delete(oldest)
      const until = now() + (logo === undefined ? RETRY_MS : FRESH_MS)
      kept.set(url, { logo: logo ?? before, until })
      underWay.delete(url)
    })
  }
}

export type LogoCache = ReturnType<typeof createLogoCache>

/** Undefined when it cannot be had, is too large, or is no picture: a letter stands in its place. */
async function fetchLogo(gate: Gate, url: string, tenant: Tenant): Promise<Logo | undefined> {
  try {
    const { status, body } = await gate.request(
      { method: 'GET', url, headers: { accept: 'image/png, image/webp, image/jpeg' } },
      {
        purpose: 'source',
        tenant,
        timeoutMs: 10_000,
        maxResponseBytes: MAX_BYTES,
        maxRedirects: 3,
        decompress: true,
      },
    )
    const type = status === 200 ? imageType(body) : undefined
    if (type === undefined) return undefined
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16)
    return { bytes: body, type, hash }
  } catch {
    return undefined
  }
}
