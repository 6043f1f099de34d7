import { type Entry, interpretEntry, lintEntry, readBundledEntry } from '@linchpin/kit/entry'
import type { Bundle, DeclaredIntegration, FindDeclared } from '@linchpin/runner'
import type { Catalogue } from './load-catalogue.ts'

type Found = DeclaredIntegration | undefined | Promise<DeclaredIntegration | undefined>

/**
 * Finds the integrations that are data and run without a sandbox: those of the catalogue by the digests of their bundles, and others by
 * their text, which is read once. Someone else's entry is checked like one that is sent to the API.
 */
export function createFindDeclared({
  entries: integrations,
  runtimes,
}: Pick<Catalogue, 'entries' | 'runtimes'>): FindDeclared {
  const entries = new Map<string, Entry>()
  for (const { versions } of integrations)
    for (const { sha256, entry } of versions) if (entry !== undefined) entries.set(sha256, entry)
  const found = new Map<string, Found>()
  const keep = (sha256: string, one: Found) => {
    if (found.size >= MAX_KEPT) found.delete(found.keys().next().value ?? '')
    found.set(sha256, one)
    return one
  }
  return (bundle) => {
    const { sha256 } = bundle
    if (found.has(sha256)) return found.get(sha256)
    const entry = entries.get(sha256)
    if (entry !== undefined) return keep(sha256, interpretEntry(entry))
    const reading = readBundle(bundle, runtimes).then(
      (one) => keep(sha256, one),
      // The sandbox meets the same error, and reports it.
      () => void found.delete(sha256),
    )
    return keep(sha256, reading)
  }
}

/** Bundles of which it is known what they are. */
const MAX_KEPT = 5_000

async function readBundle(
  bundle: Bundle,
  runtimes: Catalogue['runtimes'],
): Promise<DeclaredIntegration | undefined> {
  const text = await bundle.load()
  for (const [number, runtime] of runtimes) {
    const json = readBundledEntry(text, runtime)
    if (json !== undefined)
      return json.length > MAX_ENTRY_LENGTH ? undefined : interpretUnknown(json, number)
  }
  return undefined
}

/** In characters. */
const MAX_ENTRY_LENGTH = 64 * 1024

function interpretUnknown(json: string, runtime: number): DeclaredIntegration | undefined {
  const entry = parse(json)
  const isEntry = lintEntry(entry, { isPrivate: true }).length === 0
  if (!isEntry || (entry as Entry).runtime !== runtime) return undefined
  return interpretEntry(entry as Entry)
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
