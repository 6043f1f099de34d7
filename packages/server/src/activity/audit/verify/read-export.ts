import { isJsonObject } from '../../../platform/json.ts'
import {
  digestValue,
  EXPORT_TYPE,
  EXPORT_VERSION,
  type HashedEntry,
  hashEntry,
  hashHeader,
} from '../hash-chain.ts'

/** What verification needs of one line of an export. */
export interface ExportLine {
  /** Counts from 1. */
  readonly line: number
  /** Undefined if the line has none. */
  readonly sequence: number | undefined
  readonly workspaceId: unknown
  readonly previousHash: string
  readonly hash: string
  /** Whether the line's hash is that of its contents, its digests are those of its values, and nothing else is in it. */
  readonly isConsistent: boolean
  /** How many personal values were erased. */
  readonly erased: number
}

/** A place in a chain. */
export interface ChainPlace {
  readonly sequence: number
  readonly hash: string
}

/** The first line: which chain it is, and the place before the first entry. */
export interface ExportHeader {
  readonly workspaceId: string | null
  readonly base: ChainPlace
  readonly hash: string
  /** Whether the line is what the service writes: see {@link parseExportLine}. */
  readonly isExact: boolean
}

/** The last line: the place of the last entry. */
export interface ExportEnd extends ChainPlace {
  /** Of the first line. Undefined if it is missing. */
  readonly headerHash: string | undefined
  readonly isExact: boolean
}

/** The parts of an export. */
export type ExportPart =
  | { readonly type: 'header'; readonly header: ExportHeader }
  | { readonly type: 'entry'; readonly entry: ExportLine }
  | { readonly type: 'end'; readonly end: ExportEnd }

/** All parts of an export. */
export interface CollectedExport {
  readonly header: ExportHeader
  readonly lines: readonly ExportLine[]
  readonly end: ChainPlace | undefined
}

/** What is wrong with an export. */
export interface Finding {
  readonly kind: 'modified' | 'inserted' | 'moved' | 'removed' | 'incomplete' | 'checkpoint'
  /** The line; of removed entries, the line before them. */
  readonly line: number
  readonly message: string
}

/**
 * Parses a line of an export. The first line must be a header. A line is exact if writing what was parsed gives the same
 * text: parsers that choose another of two members with one name, or read numbers in another way, would see other contents
 * than the ones that were verified.
 *
 * @throws Error if the first line is not a header
 */
export function parseExportLine(text: string, line: number): ExportPart {
  const { value, isExact } = parseObject(text)
  if (line === 1) return { type: 'header', header: parseHeader(value, isExact) }
  if (value?.type === 'end') return { type: 'end', end: parseEnd(value, isExact) }
  const { isConsistent, ...entry } = checkEntry(value)
  return { type: 'entry', entry: { line, ...entry, isConsistent: isConsistent && isExact } }
}

function parseObject(text: string): {
  readonly value: Record<string, unknown> | undefined
  readonly isExact: boolean
} {
  try {
    const value: unknown = JSON.parse(text)
    const isExact = JSON.stringify(value) === text
    return { value: isJsonObject(value) ? value : undefined, isExact }
  } catch {
    return { value: undefined, isExact: false }
  }
}

function hasOnly(value: Record<string, unknown>, members: readonly string[]): boolean {
  return Object.keys(value).every((name) => members.includes(name))
}

function parseHeader(value: Record<string, unknown> | undefined, isExact: boolean): ExportHeader {
  const base = isJsonObject(value?.base) ? parsePlace(value.base) : undefined
  const { workspaceId, version } = value ?? {}
  const isKnown = typeof workspaceId === 'string' || workspaceId === null
  if (value?.type !== EXPORT_TYPE || version !== EXPORT_VERSION || base === undefined || !isKnown)
    throw new Error('the first line is not the header of an export of version 2')
  const isClean =
    hasOnly(value, HEADER_MEMBERS) && isJsonObject(value.base) && hasOnly(value.base, PLACE)
  return { workspaceId, base, hash: hashHeader(value), isExact: isExact && isClean }
}

function parseEnd(value: Record<string, unknown>, isExact: boolean): ExportEnd {
  const { headerHash } = value
  return {
    ...(parsePlace(value) ?? { sequence: 0, hash: '' }),
    headerHash: typeof headerHash === 'string' ? headerHash : undefined,
    isExact: isExact && hasOnly(value, ['type', ...PLACE, 'headerHash']),
  }
}

const PLACE = ['sequence', 'hash']
const HEADER_MEMBERS = ['type', 'version', 'workspaceId', 'from', 'to', 'exportedAt', 'base']

function parsePlace({ sequence, hash }: Record<string, unknown>): ChainPlace | undefined {
  const isPlace = Number.isSafeInteger(sequence) && typeof hash === 'string'
  return isPlace ? { sequence: sequence as number, hash } : undefined
}

function checkEntry(value: Record<string, unknown> | undefined): Omit<ExportLine, 'line'> {
  const { personal, previousHash, hash, ...entry } = value ?? {}
  const { sequence } = entry
  const place = {
    workspaceId: entry.workspaceId,
    sequence: Number.isSafeInteger(sequence) ? (sequence as number) : undefined,
    previousHash: String(previousHash),
    hash: String(hash),
  }
  const inconsistent = { ...place, isConsistent: false, erased: 0 }
  if (!isJsonObject(personal) || !isJsonObject(entry.actor)) return inconsistent
  if (!hasOnly(personal, ['ip', 'detail'])) return inconsistent
  const ip = checkDigest(personal.ip, entry.actor.ip)
  const detail = checkDigest(personal.detail, entry.detail)
  if (ip === undefined || detail === undefined || detail.digest === null) return inconsistent
  const digests = { ip: ip.digest, detail: detail.digest }
  const expected = hashEntry(place.previousHash, entry as HashedEntry, digests)
  const erased = Number(ip.isErased) + Number(detail.isErased)
  return { ...place, isConsistent: expected === hash, erased }
}

interface CheckedDigest {
  readonly digest: string | null
  readonly isErased: boolean
}

/** Undefined if the digest is not that of the value. */
function checkDigest(personal: unknown, value: unknown): CheckedDigest | undefined {
  if (personal === null) return value === null ? { digest: null, isErased: false } : undefined
  if (!isJsonObject(personal) || typeof personal.digest !== 'string') return undefined
  if (!hasOnly(personal, ['salt', 'digest'])) return undefined
  const { salt, digest } = personal
  if (salt === null) return value === null ? { digest, isErased: true } : undefined
  const isRight = typeof salt === 'string' && digestValue(salt, value) === digest
  return isRight ? { digest, isErased: false } : undefined
}

/** Groups by sequence number, as `Map.groupBy` does, which Node 20 does not have: the command line runs there. */
export function groupBySequence<T extends { readonly sequence: number }>(
  values: readonly T[],
): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const value of values) {
    const group = groups.get(value.sequence)
    if (group === undefined) groups.set(value.sequence, [value])
    else group.push(value)
  }
  return groups
}
